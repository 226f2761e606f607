/**
 * Tells Stryker which tests execute a mutant where its runner cannot see it, and leaves out tests of other subjects. Without it
 * Stryker would ignore code that runs outside of a test, or run every test for it, and a gateway is created before a test.
 *
 * - Code that runs in the hooks of a test file is executed by every test of the file.
 * - Code that runs while a module loads, such as a schema, is executed by every test of its subject but the slow ones.
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
    // Provided by vitest.mutation.config.ts.
    /** The source file of each mutant. */
    mutantFiles: Readonly<Record<string, string>>;
    /** Patterns of the source files that tests look for mutants in, by the tests' path. */
    subjects: Readonly<Record<string, string>>;
  }
}

const SLOW_TESTS = /\/test\/(execution|telemetry|faults)\/|\/(connectionLoss|deadline|retries|secrets)\.test/;

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
    const shared = { ...(!SLOW_TESTS.test(filepath) && hitsWhileLoading), ...coverage.static };
    for (const testId of testIds)
      coverage.perTest[testId] = hitsOfSubject(filepath, { ...shared, ...coverage.perTest[testId] });
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
