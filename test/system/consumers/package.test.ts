import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  buildClientSchema,
  buildSchema,
  lexicographicSortSchema,
  printSchema,
  type IntrospectionQuery,
} from 'graphql';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  startReferenceService,
  type ReferenceService,
} from '../../../src/reference-service/referenceService.js';
import { createSchema } from '../../../src/graphql/schema.js';
import { startCollector } from '../../support/telemetry/collector.js';
import { freePort } from '../../support/tools/freePort.js';
import { counts } from '../../support/telemetry/metrics.js';
import { startGatewayProcess } from '../../support/process/gatewayProcess.js';
import {
  installPackage,
  PACKAGE_NAME,
  executableOf,
  type InstalledPackage,
} from '../../support/process/installedPackage.js';
import { killProcesses } from '../../support/process/startProcess.js';

const TIMEOUT_MS = 120_000;

let service: ReferenceService;
let installed: InstalledPackage;
beforeAll(async () => {
  service = await startReferenceService();
  installed = await installPackage();
}, TIMEOUT_MS);
afterAll(async () => {
  await service.stop();
  installed.remove();
});

test('the package contains what runs and what tools read, but no sources or tests', () => {
  const topLevel = new Set(installed.files.map((file) => file.split('/')[0]));
  expect([...topLevel].sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json', 'schema', 'seeds']);
  expect(installed.files).toEqual(
    expect.arrayContaining([
      'dist/index.d.ts',
      'dist/index.js',
      'dist/introspection.json',
      'dist/licenses.md',
      'dist/main.js',
      'dist/schema.graphql',
    ]),
  );
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

describe('the bundled server', { timeout: TIMEOUT_MS }, () => {
  afterEach(killProcesses);

  test('runs with every feature that it loads on demand', async () => {
    const collector = await startCollector();
    onTestFinished(() => collector.stop());
    const metricsPort = await freePort();
    const main = join(installed.folder, 'node_modules', PACKAGE_NAME, 'dist/main.js');
    const program = startGatewayProcess({
      main,
      env: {
        METRICS_PORT: String(metricsPort),
        RATE_LIMIT: '1/60s',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        DRAIN_DELAY_MS: '0',
      },
    });
    const origin = await program.listening();
    const send = async () => {
      const response = await fetch(`${origin}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer any' },
        body: JSON.stringify({ query: '{ notifications { totalPossibleCount } _sdl }' }),
      });
      return (await response.json()) as unknown;
    };
    expect(await send()).toEqual({
      data: {
        notifications: { totalPossibleCount: 36 },
        _sdl: installed.read('dist/schema.graphql').trimEnd(),
      },
    });
    expect(await send()).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] });
    const page = await fetch(`${origin}/explorer/`);
    expect(await page.text()).toBe(installed.read('dist/explorer-pages/index.html'));
    expect(await counts(`http://127.0.0.1:${metricsPort}/metrics`)).toMatchObject({
      'http_server_requests_rejected_total{reason="rate_limit"}': 1,
    });

    program.kill('SIGTERM');
    expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
    expect(collector.spans.map(({ name }) => name)).toContain('POST /graphql');
  });
});

describe('a program that uses the package as a library', { timeout: TIMEOUT_MS }, () => {
  const program = `
    import { ConfigError, createGateway, parseConfig, type Gateway } from '${PACKAGE_NAME}';
    import introspection from '${PACKAGE_NAME}/introspection.json' with { type: 'json' };
    import { pino } from 'pino';

    const log = pino({ level: 'silent' });
    const { SERVICE_URL = new URL('http://127.0.0.1'), ...config } = parseConfig({ ...process.env, PORT: '0' });
    const gateway: Gateway = await createGateway({ config: { ...config, SERVICE_URL }, log });
    const response = await fetch(await gateway.listen(), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer any' },
      body: JSON.stringify({ query: '{ notifications { totalPossibleCount } }' }),
    });
    const body: unknown = await response.json();
    await gateway.stop();

    let problems: readonly string[] = [];
    try {
      parseConfig({ PORT: 'x' });
    } catch (error) {
      if (error instanceof ConfigError) problems = error.problems;
    }
    console.log(JSON.stringify({ body, problems, queryType: introspection.__schema.queryType.name }));
  `;
  const tsconfig = {
    compilerOptions: {
      target: 'ES2023',
      module: 'NodeNext',
      strict: true,
      exactOptionalPropertyTypes: true,
      resolveJsonModule: true,
      types: ['node'],
      skipLibCheck: true,
    },
  };
  const compile = (name: string, source: string) => {
    writeFileSync(join(installed.folder, `${name}.ts`), source);
    writeFileSync(
      join(installed.folder, 'tsconfig.json'),
      JSON.stringify({ ...tsconfig, files: [`${name}.ts`] }),
    );
    return installed.runNode([executableOf('typescript/bin/tsc'), '-p', '.']);
  };
  beforeAll(() => {
    installed.link('@types/node');
    writeFileSync(join(installed.folder, 'package.json'), '{ "type": "module" }');
  });

  test('compiles against the types of the package, and runs', async () => {
    expect(await compile('program', program)).toBe('');
    const printed = await installed.runNode(['program.js'], { SERVICE_URL: service.url });
    expect(JSON.parse(printed)).toEqual({
      body: { data: { notifications: { totalPossibleCount: 36 } } },
      problems: ['PORT: expected an integer from 0 to 65535, got "x"'],
      queryType: 'Query',
    });
  });

  test('does not compile if it violates those types', async () => {
    const source = `import { createGateway } from '${PACKAGE_NAME}'; await createGateway({ config: { PORT: '4000' } });`;
    await expect(compile('wrong', source)).rejects.toThrow(/^wrong\.ts\(1,\d+\): error TS2\d+/m);
  });

  test('triggers no side effects by importing it', async () => {
    const source = `import * as library from '${PACKAGE_NAME}'; console.log(Object.keys(library).sort().join());`;
    expect(await installed.runNode(['--input-type=module', '--eval', source])).toBe(
      'ConfigError,createGateway,parseConfig\n',
    );
  });
});

describe('a front end that installs the package', { timeout: TIMEOUT_MS }, () => {
  const frontEnd = fileURLToPath(new URL('../../consumers/frontEnd/', import.meta.url));

  // To update after a change to the schema or the operations: npx vitest run test/consumers/package.test.ts --update
  test('generates the types of its operations from the shipped schema', async () => {
    installed.link('@graphql-codegen/client-preset', '@graphql-typed-document-node/core');
    for (const file of ['codegen.yml', 'operations.ts'])
      cpSync(join(frontEnd, file), join(installed.folder, file));
    await installed.runNode([executableOf('@graphql-codegen/cli/esm/bin.js'), '--config', 'codegen.yml']);
    for (const file of ['gql.ts', 'graphql.ts', 'index.ts']) {
      const text = readFileSync(join(installed.folder, 'generated', file), 'utf8');
      await expect(text).toMatchFileSnapshot(join(frontEnd, 'generated', file));
    }
  });
});
