import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Node reads the CommonJS build of GraphQL; Vite would prefer the other one, and so load it twice.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/buildExplorer.ts',
    testTimeout: 30_000, // for busy machines
    maxWorkers: 2, // every one of them runs servers, and some of them are kept busy
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: [
        'src/generated/**',
        'src/explorer/**', // its tests run it in a browser
        'src/main.ts', // its tests run these as processes of their own, where nothing is counted
        'src/cluster.ts',
        'src/reference-service/main.ts',
      ],
      reporter: ['text', 'text-summary'],
      thresholds: { lines: 95 },
    },
  },
});
