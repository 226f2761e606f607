/** The types of the package: what uses it compiles against them with each module resolution, and runs. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMockService } from '../../../src/mock/mockService.js';
import {
  installedPath,
  installPackage,
  PACKAGE_NAME,
  type InstalledPackage,
} from '../../support/process/installedPackage.js';
import { skipIf } from '../../support/process/requirements.js';
import { toolsMissing } from '../../support/setup/skipWithoutTools.js';
import { useStarted } from '../../support/tools/useStarted.js';

skipIf(toolsMissing);

const TIMEOUT_MS = 300_000; // several compilations, on a busy machine

const library = `
  import { ConfigError, createGateway, parseConfig, type Gateway } from '${PACKAGE_NAME}';
  import introspection from '${PACKAGE_NAME}/introspection.json' with { type: 'json' };
  import { pino } from 'pino';

  const log = pino({ level: 'silent' });
  const gateway: Gateway = await createGateway({ config: parseConfig({ ...process.env, PORT: '0' }), log });
  const response = await fetch(await gateway.listen(), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer any' },
    body: JSON.stringify({ query: '{ notifications { totalPossibleCount } }' }),
  });
  const body: unknown = await response.json();
  await gateway.stop();

  const problems: string[] = [];
  const addProblems = (error: unknown) => error instanceof ConfigError && problems.push(...error.problems);
  try {
    parseConfig({ PORT: 'x' });
  } catch (error) {
    addProblems(error);
  }
  await createGateway({ config: parseConfig({}) }).catch(addProblems);
  console.log(JSON.stringify({ body, problems, queryType: introspection.__schema.queryType.name }));

  // @ts-expect-error The compiler rejects what is not a configuration.
  const invalid: Parameters<typeof createGateway>[0] = { config: { PORT: '4000' }, log };
`;
const testing = `
  import { startMockService, type Fault, type MockService, type RestCall } from '${PACKAGE_NAME}/testing';
  const fault: Fault = { status: 503 };
  const service: MockService = await startMockService({ faultFor: ({ path }: RestCall) => (path === '/' ? fault : undefined) });
  service.injectFaults({ delayMs: 1 });
  service.reset();
  await service.stop();
`;
const everyError = fileURLToPath(new URL('../../consumers/everyError.ts', import.meta.url));
const clientPackage = fileURLToPath(new URL('../../../dist/client-package/', import.meta.url));
const frontEnd = fileURLToPath(new URL('../../consumers/frontEnd/', import.meta.url));

const service = useStarted(() => startMockService());
let installed: InstalledPackage;
beforeAll(async () => {
  installed = await installPackage();
  installed.link(
    '@apollo/client',
    '@graphql-codegen/client-preset',
    '@graphql-typed-document-node/core',
    '@types/node',
    '@urql/core',
    '@urql/exchange-graphcache',
    'rxjs',
    'wonka',
  );
  const { folder } = installed;
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'library.ts'), library);
  writeFileSync(join(folder, 'testing.ts'), testing);
  cpSync(clientPackage, join(folder, 'node_modules/shipment-graphql-client'), { recursive: true });
  cpSync(everyError, join(folder, 'everyError.ts'));
  cpSync(frontEnd, join(folder, 'frontEnd'), { recursive: true });
}, TIMEOUT_MS);
afterAll(() => installed.remove());

const programs = ['library', 'testing', 'everyError', 'frontEnd/index'];

test('programs, tests and front ends compile for a bundler', { timeout: TIMEOUT_MS }, async () => {
  const options = { module: 'ESNext', moduleResolution: 'bundler', noEmit: true };
  expect(await compile(options)).toBe('');
});

test('programs, tests and front ends compile for Node.js, and run', { timeout: TIMEOUT_MS }, async () => {
  expect(await compile({ module: 'NodeNext', moduleResolution: 'NodeNext' })).toBe('');

  const printed = await installed.runNode(['library.js'], { SERVICE_URL: service.url });
  expect(JSON.parse(printed)).toEqual({
    body: { data: { notifications: { totalPossibleCount: 36 } } },
    problems: [
      'PORT: expected an integer from 0 to 65535, got "x"',
      'SERVICE_URL: expected the URL of the service, got none',
    ],
    queryType: 'Query',
  });
  expect(await installed.runNode(['testing.js'])).toBe('');
  // A front end tells its user about every error, and about each invalid field of a form.
  expect((await installed.runNode(['everyError.js'])).trimEnd().split('\n')).toEqual([
    'BAD_USER_INPUT createNotification: input.notificationName must not be empty. Nothing was changed.',
    'BAD_USER_INPUT createNotification: input.recipient.shipmentLevel.emailList.0 must be an email address. Nothing was changed.',
    'BAD_USER_INPUT createNotification: input.recipient.shipmentLevel.smsList.0 must be a phone number. Nothing was changed.',
    'BAD_USER_INPUT createNotification: input.trigger.shipmentStatusChange needs at least 1. Nothing was changed.',
    'NOT_FOUND deleteNotification: it does not exist. Nothing was changed.',
    'RATE_LIMITED notifications: too many requests. Try again in 30 s.',
    'SERVICE_ERROR deleteNotification: the service failed. The change may have been made: check first.',
    'GRAPHQL_VALIDATION_FAILED color: the page sent an operation that does not fit the schema.',
  ]);
  const source = "console.log(Object.keys(await import('./frontEnd/index.js')).join())";
  expect(await installed.runNode(['--input-type=module', '--eval', source])).toBe(
    'runApolloClient,runUrql\n',
  );
});

// To update after a change to the schema or the operations: npx vitest run --project=system test/system/consumers/types.test.ts --update
test(
  'a front end generates the types of its operations from the shipped schema',
  { timeout: TIMEOUT_MS },
  async () => {
    for (const file of ['codegen.yml', 'operations.ts'])
      cpSync(join(frontEnd, file), join(installed.folder, file));
    await installed.runNode([installedPath('@graphql-codegen/cli/esm/bin.js'), '--config', 'codegen.yml']);
    for (const file of ['gql.ts', 'graphql.ts', 'index.ts']) {
      const text = readFileSync(join(installed.folder, 'generated', file), 'utf8');
      await expect(text).toMatchFileSnapshot(join(frontEnd, 'generated', file));
    }
  },
);

/** Compiles the programs, and returns what the compiler prints. */
function compile(compilerOptions: object): Promise<string> {
  const tsconfig = {
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
  };
  return installed.compile(tsconfig);
}
