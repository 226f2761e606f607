import { configDefaults, defineConfig } from 'vitest/config';

/** Tests that replace modules: only they load the gateway for themselves, as that takes a third of the time of all. */
const replacing = ['test/execution/*.test.ts', 'test/service/retry.test.ts'];

export default defineConfig({
  // Node reads the CommonJS build of GraphQL; Vite would prefer the other one, and so load it twice.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    globalSetup: 'test/support/buildExplorer.ts',
    testTimeout: 30_000, // for busy machines
    maxWorkers: 2, // every one of them runs servers, and some of them are kept busy
    projects: [
      {
        extends: true,
        test: {
          name: 'shared modules',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...replacing],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'own modules', include: replacing } },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: [
        'src/generated/**',
        'src/explorer/**', // its tests run it in a browser
        'src/main.ts', // its tests run these as processes of their own, where nothing is counted
        'src/process/cluster.ts',
        'src/reference-service/main.ts',
      ],
      reporter: ['text', 'text-summary'],
      thresholds: { lines: 95 },
    },
  },
});
