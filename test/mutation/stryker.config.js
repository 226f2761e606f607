/** Mutation testing (README.md): breaks the code in one place at a time, and runs the tests that execute it. */
export default {
  mutate: [
    'src/freight/**/*.ts',
    'src/transport/**/*.ts',
    'src/redis/**/*.ts',
    'src/fields/**/*.ts',
    'src/graphql/**/*.ts',
    '!src/graphql/{apolloServer,handler,landingPage,persistedOperations,responses,schema,subgraph}.ts',
  ],
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  // coverage.ts attributes all code to tests, so no mutant is static and needs every test.
  ignoreStatic: true,
  // What none of these tests reads.
  ignorePatterns: ['/coverage', '/dist', '/reports', '/bench', '/test/system'],
  concurrency: 2,
  // For endless loops; a call that never settles ends with the time limit of its test.
  timeoutMS: 15_000,
  dryRunTimeoutMinutes: 15,
  incremental: true,
  incrementalFile: 'reports/mutation/incremental.json',
  reporters: ['clear-text', 'progress', 'json', 'html'],
  clearTextReporter: { allowColor: false, reportTests: false },
  jsonReporter: { fileName: 'reports/mutation/mutation.json' },
  htmlReporter: { fileName: 'reports/mutation/mutation.html' },
  thresholds: { high: 95, low: 85, break: 85 },
};
