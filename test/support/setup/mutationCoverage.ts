/**
 * Attributes the code that runs outside of a test to tests, so that its mutants are tested by these tests. Without it Stryker
 * would either ignore these mutants or run every test for each of them: a gateway is created before the first test.
 *
 * - Code that runs in the hooks of a file belongs to every test of the file.
 * - Code that runs while a module loads, such as a schema, belongs to every test of the files that the configuration lists.
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
    activeMutant: string;
    /** Provided by vitest.mutation.config.ts: matches the files whose tests cover the loading of modules. */
    loadingTests: string;
  }
}

const globals = globalThis as { __stryker__?: StrykerNamespace; hitsWhileLoading?: Hits };
const stryker = (globals[inject('globalNamespace')] ??= {});

if (inject('mode') === 'mutant') stryker.activeMutant = inject('activeMutant');
else attributeHits();

function attributeHits(): void {
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
  afterAll((_context, { file }) => {
    const coversLoading = new RegExp(inject('loadingTests')).test(file.filepath);
    const shared = { ...(coversLoading && hitsWhileLoading), ...coverage.static };
    for (const testId of testIds) coverage.perTest[testId] = { ...shared, ...coverage.perTest[testId] };
    coverage.static = {};
  });
}
