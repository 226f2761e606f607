/**
 * Tells Stryker which tests may detect a mutant, in units of test files: the tests of a file share a gateway, and what it caches
 * for one test, such as a prepared operation, decides the result of another. Stryker itself would run only the test that executed
 * the mutant, and ignore code that runs outside of tests or run every test for it.
 *
 * A file tests the mutants of its subject that its tests and hooks execute. Those that run while a module loads, such as in a
 * schema, are tested by every file of their subject but the slow ones.
 */
import { afterAll, beforeAll, beforeEach, inject } from 'vitest';

/** How often each mutant was executed, by its number. */
type Hits = Record<string, number>;

/** The global object that Stryker's runner shares with the instrumented code. */
interface StrykerNamespace {
  activeMutant?: string;
  currentTestId?: string;
  mutantCoverage?: { static: Hits; perTest: Record<string, Hits> };
}

declare module 'vitest' {
  interface ProvidedContext {
    // Provided by Stryker's runner.
    globalNamespace: '__stryker__';
    mode: 'dry-run' | 'mutant';
    activeMutant?: string;
    // Provided by vitest.config.ts.
    /** The source file of each mutant. */
    mutantFiles: Readonly<Record<string, string>>;
    /** Patterns of the source files that tests look for mutants in, by the tests' path. */
    subjects: Readonly<Record<string, string>>;
  }
}

const SLOW_TESTS = /\/test\/(execution|telemetry|faults)\/|\/(deadline|retries)\.test/;

const globals = globalThis as { __stryker__?: StrykerNamespace; hitsWhileLoading?: Hits };
const stryker = (globals[inject('globalNamespace')] ??= {});

if (inject('mode') === 'dry-run') reportCoverage();
else stryker.activeMutant = inject('activeMutant') ?? ''; // now, so that modules load with the mutant

function reportCoverage(): void {
  const coverage = (stryker.mutantCoverage ??= { static: {}, perTest: {} });
  coverage.perTest = {}; // Stryker adds up the coverage of the files
  const hitsWhileLoading = (globals.hitsWhileLoading ??= {});
  const testIds = new Set<string>();

  beforeAll(() => {
    Object.assign(hitsWhileLoading, coverage.static);
    coverage.static = {};
  });
  beforeEach(() => {
    if (stryker.currentTestId !== undefined) testIds.add(stryker.currentTestId);
  });
  afterAll(({}, { file: { filepath } }) => {
    const loaded = SLOW_TESTS.test(filepath) ? {} : hitsWhileLoading;
    const hits = [loaded, coverage.static, ...Object.values(coverage.perTest)];
    const hitsOfFile = hitsOfSubject(filepath, Object.assign({}, ...hits) as Hits);
    coverage.perTest = Object.fromEntries([...testIds].map((testId) => [testId, hitsOfFile]));
    coverage.static = {};
  });
}

/** The hits in the files that the tests of a file look for mutants in. */
function hitsOfSubject(testFile: string, hits: Hits): Hits {
  const mutantFiles = inject('mutantFiles');
  const [, pattern = ''] =
    Object.entries(inject('subjects')).find(([path]) => testFile.includes(`/${path}`)) ?? [];
  const subject = new RegExp(pattern);
  return Object.fromEntries(
    Object.entries(hits).filter(([mutant]) => subject.test(mutantFiles[mutant] ?? '')),
  );
}
