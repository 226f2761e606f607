import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { findMockingTests } from './test/support/setup/findTests.js';
import { skipWithoutTools } from './test/support/setup/skipWithoutTools.js';

const SYSTEM_TESTS = 'test/system/**/*.test.ts';
const mockingTests = [
  ...findMockingTests('test'),
  'test/execution/executor.test.ts', // counts compilations, which a gateway of an earlier file may still make
];

export default defineConfig({
  resolve: {
    alias: [
      // Node loads the CommonJS build of GraphQL; Vite would prefer the other one, and GraphQL rejects two copies of itself.
      { find: /^graphql$/, replacement: 'graphql/index.js' },
      { find: /^graphql-jit$/, replacement: pathOf('test/support/execution/compiler.ts') },
      // As src/gateway.ts imports it.
      { find: /^\.\/graphql\/schema\.js$/, replacement: pathOf('test/support/graphql/schemas.ts') },
    ],
  },
  plugins: [skipWithoutTools()],
  test: {
    // For busy machines.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { LOG_LEVEL: 'error' }, // GraphQL Mesh, in the process of the tests, rejects some of our values
    expect: { poll: { timeout: 50_000 } },
    maxWorkers: 4, // on two cores, because many tests wait; projects ignore `--maxWorkers`
    reporters: ['default', './test/support/setup/skipReporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, SYSTEM_TESTS, ...mockingTests],
          globalSetup: 'test/support/setup/buildExplorer.ts',
          isolate: false, // loading the gateway for each file would take a third of the time
        },
      },
      { extends: true, test: { name: 'own modules', include: mockingTests } },
      {
        extends: true,
        test: {
          name: 'system',
          include: [SYSTEM_TESTS],
          globalSetup: 'test/support/setup/buildGateway.ts',
          isolate: false,
          maxWorkers: 3, // these wait less: four take a tenth longer
          sequence: { groupOrder: 1 }, // Vitest requires another group for another number of workers
        },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: [
        'src/generated/**',
        // Tested in a browser or in a separate process, where coverage is not collected.
        'src/explorer/**',
        'src/main.ts',
        'src/program.ts',
        'src/mock/main.ts',
      ],
      reporter: ['text', 'text-summary'],
      thresholds: { lines: 95 },
    },
  },
});

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
