/** The package for front ends: what it contains, how large it is, and that the programs in its README compile and run. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { buildSchema, concatAST, isAbstractType, Kind, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build, type Rolldown } from 'vite';
import { programsOf } from '../../docs/support/markdown.js';
import { startGateway, TOKEN } from '../../support/gateway/gateway.js';
import { validArguments } from '../../support/graphql/rootFields.js';
import {
  CLIENT_PACKAGE_NAME,
  installPackage,
  VITE_COMPILER_OPTIONS,
  type InstalledPackage,
} from '../../support/process/installedPackage.js';
import { skipIf } from '../../support/process/requirements.js';
import { toolsMissing } from '../../support/setup/skipWithoutTools.js';
import { useStarted } from '../../support/tools/useStarted.js';

skipIf(toolsMissing);

const TIMEOUT_MS = 300_000; // several compilations, on a busy machine
const PEERS = ['@apollo/client', '@urql/core', 'graphql', 'react', 'react-hook-form', 'rxjs', 'wonka'];

const gateway = useStarted(() => startGateway({ env: { IDEMPOTENCY_STORE: 'memory' } }));
let installed: InstalledPackage;
beforeAll(async () => {
  installed = await installPackage(CLIENT_PACKAGE_NAME);
  installed.link(...PEERS, '@types/react', '@urql/exchange-graphcache');
  writeFileSync(join(installed.folder, 'package.json'), '{ "type": "module" }');
}, TIMEOUT_MS);
afterAll(() => installed.remove());

test('has the version of the gateway, no dependencies, and nothing but what front ends use', () => {
  const manifest = JSON.parse(installed.read('package.json')) as Record<string, unknown>;
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(manifest).toMatchObject({ name: CLIENT_PACKAGE_NAME, version, type: 'module', sideEffects: false });
  expect(manifest['dependencies']).toBeUndefined();
  expect(Object.keys(manifest['peerDependencies'] as object)).toEqual(PEERS);
  expect(manifest['peerDependenciesMeta']).toEqual(
    Object.fromEntries(PEERS.map((name) => [name, { optional: true }])),
  );
  expect(installed.files.filter((file) => !/\.(js|d\.ts)$/.test(file)).sort()).toEqual([
    'LICENSE',
    'README.md',
    'THIRD_PARTY_LICENSES.md',
    'cjs',
    'cjs/client',
    'cjs/generated',
    'cjs/package.json',
    'codegen.json',
    'dist',
    'dist/client',
    'dist/generated',
    'introspection.json',
    'operations.graphql',
    'package.json',
    'schema.graphql',
  ]);
  expect(installed.read('THIRD_PARTY_LICENSES.md')).toMatch(/^# papaparse [\d.]+ \(MIT\)\n\n[^#]*$/);
  expect(
    installed.files.filter((file) => file.startsWith('dist/') && !file.startsWith('dist/client')),
  ).toEqual([
    'dist/errors.d.ts',
    'dist/errors.js',
    'dist/generated',
    'dist/generated/enums.d.ts',
    'dist/generated/enums.js',
  ]);
});

test.each(['3.14.0', '4.0.0'])('is installed next to Apollo Client %s', async (version) => {
  const folder = join(installed.folder, `with-${version}`);
  const write = (path: string, manifest: object) => {
    mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, path, 'package.json'), JSON.stringify(manifest));
  };
  write('apollo', { name: '@apollo/client', version });
  write('app', {
    dependencies: {
      '@apollo/client': 'file:../apollo',
      [CLIENT_PACKAGE_NAME]: `file:${join(installed.folder, 'node_modules', CLIENT_PACKAGE_NAME)}`,
    },
  });
  // Fails if the versions do not fit.
  const options = { cwd: join(folder, 'app') };
  await promisify(execFile)('npm', ['install', '--dry-run', '--offline', '--no-audit'], options);
});

test('is loaded as CommonJS, too, as Jest does', async () => {
  const program = ['', '/batch', '/columns', '/errors', '/list', '/react', '/react-hook-form', '/urql']
    .map((entry) => `...Object.keys(require('${CLIENT_PACKAGE_NAME}${entry}'))`)
    .join();
  // Node.js 20.19 and later would load modules, too.
  const flags = ['--no-experimental-require-module', '--input-type=commonjs'];
  const names = await installed.runNode([...flags, '-p', `[${program}].join()`]);
  for (const name of [
    'resultOf',
    'createBatch',
    'ErrorCode',
    'createList',
    'useBatch',
    'setInputErrors',
    'createRetryExchange',
  ])
    expect(names.trim().split(',')).toContain(name);
});

test('its fragments fit its schema, one for each payload', () => {
  const schema = buildSchema(installed.read('schema.graphql'), { assumeValidSDL: true });
  const fragments = parse(installed.read('operations.graphql'));
  const names = fragments.definitions.flatMap((definition) =>
    definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value.endsWith('Outcome')
      ? [definition.typeCondition.name.value]
      : [],
  );
  const payload = schema.getType('WritePayload');
  const payloads = isAbstractType(payload) ? schema.getPossibleTypes(payload) : [];
  expect(names.sort()).toEqual(payloads.map(({ name }) => name).sort());
  const spread = parse(
    `mutation { deleteNotification(notificationGuid: "a") { ...DeleteNotificationOutcome } }`,
  );
  const unused = validate(schema, concatAST([spread, fragments])).filter(
    ({ message }) => !message.endsWith('is never used.'),
  );
  expect(unused).toEqual([]);
});

test('is small', async () => {
  const root = await bundledBytes('index');
  const all = ['apollo', 'batch', 'columns', 'list', 'urql', 'react', 'reactHookForm', 'texts'];
  expect([root, await bundledBytes('index', ...all)]).toEqual([
    expect.toSatisfy((bytes: number) => bytes <= 3700),
    expect.toSatisfy((bytes: number) => bytes <= 12_000),
  ]);
  expect(installed.tarballBytes).toBeLessThanOrEqual(90_000);
});

describe('the programs of its README', { timeout: TIMEOUT_MS }, () => {
  // Named after their info strings: apollo, urql, write, form, list, react.
  const programs = programsOf('src/client/README.md');
  beforeAll(() => {
    for (const { file, text } of programs) writeFileSync(join(installed.folder, file), text);
  });

  test.each([
    { version: 7, module: 'NodeNext', moduleResolution: 'NodeNext' },
    { version: 6, module: 'ESNext', moduleResolution: 'bundler' },
  ] as const)(
    'compile with TypeScript $version, the module resolution $moduleResolution and the defaults of a new Vite app',
    async ({ version, ...options }) => {
      const tsconfig = {
        compilerOptions: { ...VITE_COMPILER_OPTIONS, ...options },
        files: programs.map(({ file }) => file),
      };
      expect(await installed.compile(tsconfig, version)).toBe('');
    },
  );

  test('write once, and send a list that a reload interrupts', async () => {
    const { input } = validArguments('createNotification') as { input: object };
    const item = validArguments('trackShipment');
    const program = `
      const realFetch = fetch;
      globalThis.fetch = (url, init = {}) => {
        const headers = new Headers(init.headers);
        headers.set('authorization', 'Bearer ${TOKEN}');
        return realFetch(new URL(url, '${gateway.url}'), { ...init, headers });
      };
      const texts = new Map();
      globalThis.sessionStorage = { getItem: (key) => texts.get(key) ?? null, setItem: (key, text) => texts.set(key, text) };
      const { gql } = await import('@apollo/client');
      const [apollo, urql, { save }, { openList }] = await Promise.all(['apollo', 'urql', 'write', 'list'].map((name) => import('./' + name + '.js')));
      const CREATE = gql\`mutation Create($input: NotificationInput!, $idempotencyKey: ID) {
        createNotification(input: $input, idempotencyKey: $idempotencyKey) { outcome evidence errors { code retryable } }
      }\`;
      const input = ${JSON.stringify(input)};
      const results = [
        await save(input, (variables) => apollo.client.mutate({ mutation: CREATE, variables })),
        await save({ ...input, notificationName: 'Night shift' }, (variables) => urql.client.mutation(CREATE, variables).toPromise()),
        await save({ ...input, notificationName: ' ' }, (variables) => urql.client.mutation(CREATE, variables).toPromise()),
      ];
      const item = ${JSON.stringify(item)};
      const list = openList('${gateway.url}');
      list.start([item]);
      await list.check();
      const { fetch: send } = globalThis;
      globalThis.fetch = async (...request) => {
        await send(...request);
        globalThis.fetch = send;
        return new Promise(() => undefined); // the page is gone before the response
      };
      void list.send();
      while (globalThis.fetch !== send) await new Promise((resolve) => setTimeout(resolve, 10));
      const page = await import('./list.js?reloaded');
      const next = page.openList('${gateway.url}');
      const restored = next.getSnapshot().items.map(({ nextStep }) => nextStep);
      let refused;
      try {
        next.start([item]);
      } catch (error) {
        refused = error.name;
      }
      await next.repeat();
      next.start([item]); // as the program does at each start of the page
      await next.send();
      const sent = next.getSnapshot().items.map(({ nextStep }) => nextStep);
      console.log(JSON.stringify([...results.map(({ nextStep }) => nextStep), ...restored, refused, ...sent]));
      process.exit();
    `;
    writeFileSync(join(installed.folder, 'run.js'), program);
    gateway.takeCalls();
    expect(JSON.parse(await installed.runNode(['run.js']))).toEqual([
      'NONE',
      'NONE',
      'CORRECT',
      'REPEAT',
      'UnsettledItemsError',
      'NONE',
    ]);
    expect(gateway.takeCalls().map(({ method }) => method)).toEqual(['POST', 'POST', 'POST']);
  });
});

/** Bytes of entries together, minified and gzipped, without the packages that they have as peers. */
async function bundledBytes(...entries: string[]): Promise<number> {
  const modules = join(installed.folder, 'node_modules', CLIENT_PACKAGE_NAME, 'dist/client');
  const input = join(modules, `all-of-${entries.join('-')}.js`);
  writeFileSync(
    input,
    entries.map((entry) => `export * from ${JSON.stringify(`./${entry}.js`)};`).join('\n'),
  );
  const result = (await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2022',
      rolldownOptions: {
        input,
        external: PEERS,
        preserveEntrySignatures: 'strict',
        output: { minify: true },
      },
    },
  })) as Rolldown.RolldownOutput;
  return gzipSync(result.output.map((chunk) => ('code' in chunk ? chunk.code : '')).join('')).length;
}
