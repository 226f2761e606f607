/** What the package contains, that it runs, and that what uses it compiles with each module resolution. */
import { execFile } from 'node:child_process';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  buildClientSchema,
  buildSchema,
  lexicographicSortSchema,
  printSchema,
  type IntrospectionQuery,
} from 'graphql';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startMockService, type MockService } from '../../../src/mock/mockService.js';
import { createSchema, federationSdl } from '../../../src/graphql/schema.js';
import { codeBlocks, documents, type CodeBlock } from '../../docs/support/markdown.js';
import { readText } from '../../support/deploy/deployment.js';
import { productionEnv } from '../../support/process/minimalEnv.js';
import {
  installPackage,
  PACKAGE_NAME,
  type InstalledPackage,
} from '../../support/process/installedPackage.js';
import { skipTestIf } from '../../support/process/requirements.js';
import { killProcesses, startProcess } from '../../support/process/startProcess.js';
import { toolsMissing } from '../../support/setup/skipWithoutTools.js';
import { post } from '../../support/http/post.js';

const TIMEOUT_MS = 300_000; // for a busy machine

interface LockFile {
  packages: Record<string, { dev?: boolean }>;
}

let service: MockService;
let installed: InstalledPackage;
beforeAll(async () => {
  service = await startMockService();
  installed = await installPackage();
  writeFileSync(join(installed.folder, 'package.json'), '{ "type": "module" }');
}, TIMEOUT_MS);
afterAll(async () => {
  await service.stop();
  installed.remove();
});

test('the package contains what runs, what tools and people read, but no sources or tests', () => {
  const topLevel = new Set(installed.files.map((file) => file.split('/')[0]));
  expect([...topLevel].sort()).toEqual([
    '.env.example',
    '.github',
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'bench',
    'deploy',
    'dist',
    'docs',
    'examples',
    'package.json',
    'schema',
    'seeds',
    'src',
  ]);
  expect(installed.files.filter((file) => /^src\/.*\./.test(file))).toEqual(['src/client/README.md']);
  expect(installed.files.filter((file) => /\.test\.ts$|^test\/|client-package/.test(file))).toEqual([]);
  expect(installed.files).toEqual(
    expect.arrayContaining([
      'dist/index.d.ts',
      'dist/index.js',
      'dist/THIRD_PARTY_LICENSES.md',
      'dist/introspection.json',
      'dist/main.js',
      'dist/schema.graphql',
    ]),
  );
  expect(installed.read('dist/subgraph.graphql')).toBe(`${federationSdl()}\n`);
});

test('installing it runs nothing', () => {
  const { scripts } = JSON.parse(installed.read('package.json')) as { scripts: object };
  expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?(?:install|prepare)$/.test(name))).toEqual([]);
});

test('the package has at most 13 MB in 700 files', () => {
  const sizes = installed.files
    .map((file) => statSync(join(installed.folder, 'node_modules', PACKAGE_NAME, file)))
    .filter((each) => each.isFile())
    .map(({ size }) => size);
  expect(sizes.length).toBeLessThanOrEqual(700);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(13_000_000);
});

test('its dependencies install on this version of Node.js, without overrides, which consumers do not have', async () => {
  const options = { cwd: fileURLToPath(new URL('../../../', import.meta.url)) };
  await promisify(execFile)('npm', ['ci', '--dry-run', '--omit=dev', '--engine-strict'], options);
  const { packages } = JSON.parse(readText('package-lock.json')) as LockFile;
  const { overrides } = JSON.parse(readText('package.json')) as { overrides: Record<string, string> };
  const production = Object.keys(packages).filter((path) => packages[path]?.dev !== true);
  expect(production).toContain('node_modules/fastify');
  // Its dependents in production accept no newer version: consumers get the same.
  const allowed = ['@whatwg-node/promise-helpers'];
  const overridden = Object.keys(overrides).filter(
    (name) => production.includes(`node_modules/${name}`) && overrides[name] !== `$${name}`, // our own dependency
  );
  expect(overridden).toEqual(allowed);
});

test('every relative link of its documentation leads to a file of the package', () => {
  const pages = installed.files.filter((file) => file.endsWith('.md') && !file.startsWith('dist/'));
  const links = pages.flatMap((file) =>
    [...installed.read(file).matchAll(/\]\(([^)\s#]+)[^)\s]*\)/g)].map(([, target = '']) => ({
      file,
      target,
    })),
  );
  const relative = links.filter(({ target }) => !/^https?:/.test(target));
  expect(relative.length).toBeGreaterThan(50);
  expect(
    relative.filter(({ file, target }) => !installed.files.includes(join(dirname(file), target))),
  ).toEqual([]);
});

describe('the package ships the public schema, with descriptions and @oneOf,', () => {
  const publicSchema = printSchema(lexicographicSortSchema(createSchema()));

  test('as SDL with the stitching directives', () => {
    const sdl = installed.read('dist/schema.graphql');
    expect(printSchema(lexicographicSortSchema(buildSchema(sdl)))).toBe(publicSchema);
    expect(sdl).toContain('): [Notification] @merge(keyField: "notificationGuid")\n');
  });

  test('as an introspection result', () => {
    const introspection = JSON.parse(installed.read('dist/introspection.json')) as IntrospectionQuery;
    expect(printSchema(lexicographicSortSchema(buildClientSchema(introspection)))).toBe(publicSchema);
  });
});

describe('a program in the documentation', { timeout: TIMEOUT_MS }, () => {
  afterEach(killProcesses);
  const programs = documents
    .flatMap(codeBlocks)
    .filter(({ language, meta }) => language === 'ts' && meta === '');
  const isTest = ({ text }: CodeBlock) => text.includes(`${PACKAGE_NAME}/testing`);
  const run = (text: string, env: Record<string, string>) =>
    startProcess(process.execPath, ['--input-type=module', '--eval', text], { cwd: installed.folder, env });

  test.each(programs.filter((program) => !isTest(program)))(
    'runs a gateway in production and stops it on SIGTERM: $file:$line',
    async ({ text }) => {
      const program = run(text, { ...productionEnv, PORT: '0', SERVICE_URL: service.url });
      const [, url = ''] = await program.printed(/^(http:\/\/127\.0\.0\.1:\d+\/graphql)$/m);
      expect(await listThrough(url)).toEqual({ data: { notifications: { totalPossibleCount: 36 } } });
      program.kill('SIGTERM');
      expect(await program.exited).toMatchObject({ code: 0, signal: null, stderr: '' });
    },
  );

  test.each(programs.filter(isTest))(
    'starts the mock service and stops it: $file:$line',
    async ({ text }) => {
      expect(await run(text, {}).exited).toEqual({ code: 0, signal: null, stdout: '503 1\n', stderr: '' });
    },
  );
});

describe('the command of the package', { timeout: TIMEOUT_MS }, () => {
  afterEach(killProcesses);

  test('starts the gateway with the mock service', async () => {
    const { bin } = JSON.parse(installed.read('package.json')) as { bin: string };
    expect(installed.read(bin)).toMatch(/^#!\/usr\/bin\/env node\n/);
    const main = join(installed.folder, 'node_modules', PACKAGE_NAME, bin);
    const program = startProcess(process.execPath, [main], { cwd: installed.folder, env: { PORT: '0' } });
    const [, url = ''] = await program.printed(/^GraphQL: (\S+)/m);
    expect(await listThrough(url)).toEqual({ data: { notifications: { totalPossibleCount: 36 } } });
    program.kill('SIGTERM');
    expect(await program.exited).toMatchObject({ code: 0, signal: null, stderr: '' });
  });
});

describe('without the optional dependencies', { timeout: TIMEOUT_MS }, () => {
  const { optionalDependencies } = JSON.parse(readText('package.json')) as { optionalDependencies: object };
  const names = Object.keys(optionalDependencies);
  const start = (env: Record<string, string>) =>
    startProcess(process.execPath, [join(installed.folder, 'node_modules', PACKAGE_NAME, 'dist/main.js')], {
      cwd: installed.folder,
      env: { PORT: '0', ...env },
    });
  beforeAll(() => {
    for (const name of names) rmSync(join(installed.folder, 'node_modules', name));
  });
  afterAll(() => installed.link(...names));
  afterEach(killProcesses);

  test('the gateway runs in production', async () => {
    const program = start({ ...productionEnv, SERVICE_URL: service.url });
    const [, origin = ''] = await program.printed(/Server listening at ([^\s"]+)/);
    expect(await listThrough(`${origin}/graphql`)).toEqual({
      data: { notifications: { totalPossibleCount: 36 } },
    });
    program.kill('SIGTERM');
    expect(await program.exited).toMatchObject({ code: 0, signal: null, stderr: '' });
  });

  test('the mock service is missing, and the log says which package it needs', async () => {
    const { code, stdout } = await start({}).exited;
    expect([code, /Cannot find package '(?:yaml|ajv|ajv-formats)'/.test(stdout)]).toEqual([1, true]);
  });
});

async function listThrough(url: string): Promise<unknown> {
  return JSON.parse((await post(url, { query: '{ notifications { totalPossibleCount } }' })).text);
}

const library = `
  import * as library from '${PACKAGE_NAME}';
  import { ConfigError, createGateway, parseConfig, type Gateway } from '${PACKAGE_NAME}';
  import introspection from '${PACKAGE_NAME}/introspection.json' with { type: 'json' };
  import { isGatewayError, type ErrorCode } from '${PACKAGE_NAME}/errors';
  import { pino } from 'pino';

  const log = pino({ level: 'silent' });
  const gateway: Gateway = await createGateway({ config: parseConfig({ ...process.env, PORT: '0' }), log });
  const response = await fetch(await gateway.listen(), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer any' },
    body: JSON.stringify({ query: '{ notifications { totalPossibleCount } notification(notificationGuid: " ") { filters } }' }),
  });
  const { data, errors } = (await response.json()) as { data: unknown; errors: object[] };
  const codes: ErrorCode[] = errors.filter(isGatewayError).map(({ extensions }) => extensions.code);
  await gateway.stop();

  const problems: string[] = [];
  const addProblems = (error: unknown) => error instanceof ConfigError && problems.push(...error.problems);
  try {
    parseConfig({ PORT: 'x' });
  } catch (error) {
    addProblems(error);
  }
  await createGateway({ config: parseConfig({}) }).catch(addProblems);
  const queryType: string = introspection.__schema.queryType.name;
  console.log(JSON.stringify({ exports: Object.keys(library).sort(), data, codes, problems, queryType }));

  // @ts-expect-error The compiler rejects what is not a configuration.
  const invalid: Parameters<typeof createGateway>[0] = { config: { PORT: '4000' }, log };
  // @ts-expect-error The list of codes is closed.
  const unknown: ErrorCode = 'OTHER';
`;
const testing = `
  import { startMockService, type Fault, type MockService, type RestCall } from '${PACKAGE_NAME}/testing';
  const fault: Fault = { status: 503 };
  const service: MockService = await startMockService({ faultFor: ({ path }: RestCall) => (path === '/' ? fault : undefined) });
  service.injectFaults({ delayMs: 1 });
  service.reset();
  await service.stop();
`;

describe('programs and tests that use the package', { timeout: TIMEOUT_MS }, () => {
  const programs = ['library', 'testing'];
  beforeAll(() => {
    installed.link('@types/node');
    writeFileSync(join(installed.folder, 'library.ts'), library);
    writeFileSync(join(installed.folder, 'testing.ts'), testing);
  });

  /** What the compiler prints. */
  const compile = (compilerOptions: object) =>
    installed.compile({
      compilerOptions: {
        target: 'ES2023',
        lib: ['ES2023', 'DOM', 'DOM.Iterable'],
        strict: true,
        exactOptionalPropertyTypes: true,
        resolveJsonModule: true,
        types: ['node'],
        skipLibCheck: true,
        ...compilerOptions,
      },
      files: programs.map((name) => `${name}.ts`),
    });

  test('compile for a bundler, and for Node.js, and run', async (context) => {
    skipTestIf(toolsMissing, context);
    expect(await compile({ module: 'ESNext', moduleResolution: 'bundler', noEmit: true })).toBe('');
    expect(await compile({ module: 'NodeNext', moduleResolution: 'NodeNext' })).toBe('');

    const printed = await installed.runNode(['library.js'], { SERVICE_URL: service.url });
    expect(JSON.parse(printed)).toEqual({
      exports: ['ConfigError', 'createGateway', 'parseConfig', 'readVariableFiles'],
      data: { notifications: { totalPossibleCount: 36 }, notification: null },
      codes: ['BAD_USER_INPUT'],
      problems: [
        'PORT: expected an integer from 0 to 65535, got "x"',
        'SERVICE_URL: expected the URL of the service, got none',
      ],
      queryType: 'Query',
    });
    expect(await installed.runNode(['testing.js'])).toBe('');
  });
});
