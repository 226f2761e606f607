/** The tests that look for mutants (README.md): those that run in the process of the code, and quickly. */
import { basename } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { findMockingTests } from '../support/setup/findTests.js';
import { findMutantFiles } from './mutantFiles.js';
import { resolve } from '../../vitest.config.js';

/** Where the mutants are that the tests of a folder look for, the quickest tests first. */
const subjects: Readonly<Record<string, string>> = {
  'test/service/idempotencyStores': '^src/freight/idempotency/',
  'test/service/idempotencyOutages': '^src/(freight/idempotency/|redis/)',
  'test/service/': '^src/freight/',
  'test/transport/deadline': '^src/(freight|transport)/',
  'test/transport/': '^src/transport/',
  'test/input/inputLimit': '^src/(fields|graphql)/',
  'test/input/': '^src/(fields|graphql)/',
  'test/http/limits': '^src/graphql/',
  'test/http/persistedQueries': '^src/graphql/',
  'test/graphql/': '^src/graphql/',
  'test/subgraph/': '^src/(fields|graphql)/',
  'test/operations/readBack': '^src/(freight|transport|graphql)/',
  'test/operations/': '^src/',
  'test/execution/': '^src/graphql/',
  'test/errors/': '^src/',
  'test/telemetry/metrics': '^src/(freight/idempotency|transport)/',
  'test/telemetry/requestLog': '^src/(transport|graphql)/',
  'test/faults/clientDisconnects': '^src/transport/',
  'test/faults/deadlines': '^src/transport/',
  'test/faults/fairness': '^src/transport/',
};
const include = Object.keys(subjects).map((path) =>
  path.endsWith('/') ? `${path}**/*.test.ts` : `${path}.test.ts`,
);
const mockingTests = findMockingTests('test').filter((file) =>
  Object.keys(subjects).some((path) => file.startsWith(path)),
);
const mutantFiles = findMutantFiles('src');

/** The first test that fails ends the run of a mutant, so the test file with its file's name comes first. */
class LikelyFailuresFirst extends BaseSequencer {
  override sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const { activeMutant = '' } = this.ctx.getRootProject().getProvidedContext();
    const testOfMutant = `/${basename(mutantFiles[activeMutant] ?? '', '.ts')}.test.ts`;
    const rank = ({ moduleId }: TestSpecification) =>
      moduleId.endsWith(testOfMutant)
        ? -1
        : Object.keys(subjects).findIndex((path) => moduleId.includes(`/${path}`));
    return Promise.resolve(specifications.toSorted((a, b) => rank(a) - rank(b)));
  }
}

export default defineConfig({
  resolve,
  plugins: [
    {
      name: 'runs of mutants',
      // Stryker asks for threads, which end without an error when a test overflows the stack.
      configureVitest({ project }) {
        project.config.pool = 'forks';
        // All tests of the chosen files run. Stryker would select them by one expression of all their names, too long to compile.
        Object.defineProperty(project.config, 'testNamePattern', {
          get: () => undefined,
          set: () => undefined,
        });
      },
    },
  ],
  test: {
    testTimeout: 10_000, // a mutant may never respond
    hookTimeout: 10_000,
    expect: { poll: { timeout: 5_000 } },
    reporters: ['dot'],
    setupFiles: ['test/mutation/coverage.ts'],
    provide: { mutantFiles, subjects },
    sequence: { sequencer: LikelyFailuresFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'own modules',
          include: mockingTests,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'unit',
          include,
          exclude: [...configDefaults.exclude, ...mockingTests],
          isolate: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
