/** What the log of a gateway in production says of a mistake of its operator: which variable to set. Clients do not read it. */
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startGateway } from '../support/gateway/gateway.js';
import { asVariables, validArguments } from '../support/graphql/rootFields.js';
import { serve } from '../support/http/serve.js';
import { forTest } from '../support/tools/useStarted.js';

const READ = '{ notifications { messages } }';
const DEVIATION = 'Upstream response deviates from the contract';
const KEYS =
  'a key in SERVICE_HEADERS or SHIPMENT_PARAMETERS may be missing or not valid, whatever token the client sends';

async function start(env: Record<string, string> = {}) {
  const gateway = await forTest(startGateway({ env, config: { service: { retries: 0 } } }));
  return {
    ...gateway,
    linesOf: (message: string) => gateway.logLines.filter(({ msg }) => msg === message),
  };
}

describe('a gateway with http:// in front of a port with TLS names the variable, if the port', () => {
  const page = (text: string) => (head: string) =>
    head.startsWith('GET') ? `HTTP/1.1 400 Bad Request\r\ncontent-type: text/html\r\n\r\n${text}` : '';

  test.each<[string, (head: string) => string, string, string]>([
    [
      'is one of nginx',
      page(
        '<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head><body><center><h1>400 Bad Request</h1></center><center>The plain HTTP request was sent to HTTPS port</center></body></html>',
      ),
      DEVIATION,
      '400 without JSON; if the port speaks TLS, set SERVICE_URL to https://…',
    ],
    [
      'sends an alert of TLS',
      () => '\u0015\u0003\u0001\u0000\u0002\u0002\u0016',
      'Connection to the service failed',
      '; if the port speaks TLS, set SERVICE_URL to https://…',
    ],
    [
      'closes the connection',
      () => '',
      'Connection to the service failed',
      '; if the port speaks TLS, set SERVICE_URL to https://…',
    ],
  ])('%s', async (_what, reply, message, advice) => {
    const server = createServer((socket) =>
      socket.once('data', (head) => socket.end(reply(head.toString()), 'latin1')),
    );
    const { url } = await forTest(serve(server));
    const gateway = await start({ SERVICE_URL: url });
    await gateway.execute(READ);
    const [line] = gateway.linesOf(message);
    expect(line).toMatchObject({ level: 40, method: 'GET', origin: url });
    expect(String(line?.['problem'] ?? line?.['reason'])).toContain(advice);
  });

  test('sends no page after it has sent a notification', async () => {
    const gateway = await start();
    await gateway.execute(READ);
    gateway.injectFaults({
      status: 400,
      headers: { 'content-type': 'text/html' },
      body: '<p>Bad Request</p>',
    });
    await gateway.execute(READ);
    expect(gateway.linesOf(DEVIATION)).toEqual([]);
  });

  test('is one of Node.js', async () => {
    const { url } = await forTest(serve(createTlsServer()));
    const gateway = await start({ SERVICE_URL: url });
    await gateway.execute(READ);
    expect(gateway.linesOf('Connection to the service failed')[0]).toMatchObject({
      reason: expect.stringContaining('set SERVICE_URL to https://…') as string,
    });
  });
});

test('a gateway with https:// in front of a port without TLS names the variable of this URL', async () => {
  const { url } = await forTest(serve(createHttpServer((_request, response) => void response.end())));
  const gateway = await start({ SHIPMENT_SERVICE_URL: url.replace('http:', 'https:') });
  await gateway.execute(asVariables('deleteException', validArguments('deleteException')));
  expect(gateway.linesOf('Connection to the service failed')[0]).toMatchObject({
    reason: expect.stringMatching(
      '^ERR_SSL_.*; the port speaks no TLS: set SHIPMENT_SERVICE_URL to http://…$',
    ) as string,
  });
});

test('a 404 to a creation or a list names the variable of their path', async () => {
  const gateway = await start();
  for (const operation of [READ, asVariables('createNotification', validArguments('createNotification'))]) {
    gateway.injectFaults({ status: 404, body: '{"message":"Not Found"}' });
    await gateway.execute(operation);
  }
  const problem = 'found nothing at the path; NOTIFICATIONS_PATH may be wrong';
  expect(gateway.linesOf(DEVIATION)).toMatchObject([{ problem }, { problem }]);
});

describe('a 401', () => {
  const SERVICE_HEADERS = '{"X-Portal-License":"secret"}';
  const codeOf = async (gateway: Awaited<ReturnType<typeof start>>, token = 'token') =>
    (await gateway.execute(READ, { token })).errors?.map(({ extensions }) => extensions['code']);

  test.each([
    ['names the header', '{"message":"x-portal-license is not valid"}', {}],
    ['names a subscription key', '{"message":"Access denied due to missing subscription key."}', {}],
    ['names an API key in its challenge', '', { 'www-authenticate': 'Key error_description="No API key"' }],
  ])(
    'that %s of the operator is a warning, and no reason for the client to sign in',
    async (_what, body, headers) => {
      const gateway = await start({ SERVICE_HEADERS });
      gateway.injectFaults({ status: 401, body, headers });
      expect(await codeOf(gateway)).toEqual(['SERVICE_REJECTED']);
      expect(gateway.linesOf(DEVIATION)).toMatchObject([
        { level: 40, problem: `401 names a key: ${KEYS}`, method: 'GET' },
      ]);
    },
  );

  test('that names no key is a reason to sign in', async () => {
    const gateway = await start({ SERVICE_HEADERS });
    gateway.injectFaults({ status: 401, body: '{"message":"The token has expired"}' });
    expect(await codeOf(gateway)).toEqual(['UNAUTHENTICATED']);
    expect(gateway.linesOf(DEVIATION)).toEqual([]);
  });

  test('of five tokens in a row is a warning, and one of four is none', async () => {
    const gateway = await start({ SERVICE_HEADERS });
    const reject = async (count: number) => {
      for (let index = 0; index < count; index += 1) {
        gateway.injectFaults({ status: 401 });
        expect(await codeOf(gateway, `token-${index}`)).toEqual(['UNAUTHENTICATED']);
      }
    };
    await reject(4);
    expect(await codeOf(gateway, 'valid')).toBeUndefined();
    await reject(4);
    expect(gateway.linesOf(DEVIATION)).toEqual([]);
    await reject(5);
    expect(gateway.linesOf(DEVIATION)).toMatchObject([
      { level: 40, problem: `401 for 5 different tokens in a row: ${KEYS}` },
    ]);
  });
});

test('a 401 of a call without a token is not one of a fifth token', async () => {
  const gateway = await start();
  const operation = asVariables('trackShipment', validArguments('trackShipment'));
  for (const token of ['a', 'b', 'c', 'd', null]) {
    gateway.injectFaults({ status: 401 });
    await gateway.execute(operation, { token });
  }
  expect(gateway.linesOf(DEVIATION)).toEqual([]);
});

test('operations of a manifest that do not fit the schema are named at the start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'manifest-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const manifest = join(folder, 'manifest.json');
  const operations = {
    a: 'query Fits { notifications { messages } }',
    b: 'query Old { notifications { weight } }',
    c: '{ nothing }',
  };
  writeFileSync(manifest, JSON.stringify(operations));
  const gateway = await start({ OPERATIONS_MANIFEST: manifest });
  const lines = gateway.linesOf('Operation of OPERATIONS_MANIFEST does not fit the schema');
  expect(lines).toMatchObject([
    { level: 40, operation: 'Old', problem: expect.stringContaining('"weight"') as string },
    { level: 40, operation: 'c', problem: expect.stringContaining('"nothing"') as string },
  ]);
  expect((await gateway.execute(operations.a)).errors).toBeUndefined();
});
