/** The tests that kill mutants (docs/mutation-testing.md): those that run in the process of the code, and quickly. */
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { findMockingTests } from './test/support/setup/mockingTests.js';

/** The folders of tests, the quickest first: the first test that fails ends the run of a mutant. */
const folders = ['domain', 'service', 'input', 'operations', 'errors', 'graphql', 'execution', 'subgraph'];
const files = [
  ...folders.map((folder) => `test/${folder}/**/*.test.ts`),
  'test/telemetry/requestLog.test.ts',
  'test/faults/{clientDisconnects,deadlines}.test.ts',
];
const mockingTests = findMockingTests('test').filter((file) =>
  folders.some((folder) => file.startsWith(`test/${folder}/`)),
);
/** Sends what other files send too, once more in every mode of execution. */
const slowTests = ['test/execution/serviceFailures.test.ts'];

class QuickestFolderFirst extends BaseSequencer {
  override sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = folders.findIndex((folder) => moduleId.includes(`/test/${folder}/`));
      return index === -1 ? folders.length : index;
    };
    return Promise.resolve(specifications.toSorted((a, b) => rank(a) - rank(b)));
  }
}

export default defineConfig({
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  plugins: [
    {
      name: 'processes',
      // Stryker asks for threads, which end without an error when a test overflows the stack.
      configureVitest({ project }) {
        project.config.pool = 'forks';
      },
    },
  ],
  test: {
    testTimeout: 15_000, // a mutant may never respond
    hookTimeout: 15_000,
    reporters: ['dot'],
    setupFiles: ['test/support/setup/mutationCoverage.ts'],
    provide: {
      loadingTests:
        '/test/(input|service|operations)/|/test/errors/(statuses|contractViolations|invalidResponses)|/test/execution/(jit|coercionCheck)\\.',
    },
    sequence: { sequencer: QuickestFolderFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: files,
          exclude: [...configDefaults.exclude, ...mockingTests, ...slowTests],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'own modules', include: mockingTests, exclude: slowTests } },
    ],
  },
});
