/** Request bodies in the memory budget: what exceeds it is rejected before anything is sent, and all of it is free in the end. */
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { request } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { useFaultGateway } from '../support/gateway/faultGateway.js';
import { about, success } from '../support/graphql/faultOperations.js';
import type { Operation } from '../support/graphql/rootFields.js';
import { open, parseResponses, postOf, textOf } from '../support/http/rawHttp.js';
import { scrape } from '../support/telemetry/metrics.js';
import { freePort } from '../support/tools/freePort.js';
import { createGate, until } from '../support/tools/waiting.js';

/** Of which bodies may take a quarter, at four bytes for each of theirs: as much as four of these. */
const MAX_BYTES_IN_FLIGHT = 4_000_000;
const PADDING_BYTES = 60_000;
const FITTING = 4;
const COUNTED_PER_BYTE = 4;

let metricsUrl = '';
const gateway = useFaultGateway(async () => {
  const port = await freePort();
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  const env = {
    MAX_BYTES_IN_FLIGHT: String(MAX_BYTES_IN_FLIGHT),
    METRICS_PORT: String(port),
    TRUST_PROXY: '1',
  };
  return { env };
});

/** Lets the calls proceed whose subject starts with "held". */
let release: () => void;
beforeEach(() => {
  const { opened, open: openGate } = createGate();
  release = openGate;
  gateway.service.plan = ({ subject }) =>
    subject.startsWith('held') ? { kind: 'delay', until: () => opened } : undefined;
});
afterEach(async () => {
  release();
  await expect.poll(bytesInFlight).toBe(0);
});

async function bytesInFlight(): Promise<number> {
  return (await scrape(metricsUrl))['shipment_gateway_bytes_in_flight'] ?? NaN;
}

function large(subject: string, paddingBytes = PADDING_BYTES): Operation {
  const { query, variables } = about('trackShipment', subject);
  const additionalParameters = { padding: 'x'.repeat(paddingBytes) };
  return { query, variables: { input: { ...(variables['input'] as object), additionalParameters } } };
}

const bytesOf = (operation: Operation) => JSON.stringify(operation).length;
const clientOf = (index: number) => ({ token: `token-${index}`, address: `192.0.2.${index}` });
const timesSent = (name: string) => gateway.service.requests.filter(({ subject }) => subject === name).length;

/** Sends large requests of different clients until no other fits; resolves once the service has their calls. */
async function fill(name: string) {
  const operations = Array.from({ length: FITTING }, (_, index) => large(`held ${name} ${index}`));
  const responses = Promise.all(
    operations.map((operation, index) => gateway.execute(operation, clientOf(index))),
  );
  await until(() => operations.every((_, index) => timesSent(`held ${name} ${index}`) === 1));
  const counted = operations.reduce((sum, each) => sum + COUNTED_PER_BYTE * bytesOf(each), 0);
  expect(await bytesInFlight()).toBe(counted);
  const outcomes = responses.then((all) => all.map(({ data, errors }) => ({ data, errors })));
  return { outcomes, expected: operations.map(() => success('trackShipment', name)) };
}

const rejection = {
  status: 503,
  retryAfter: '1',
  body: {
    errors: [
      {
        message: 'The gateway is overloaded',
        extensions: {
          code: 'SERVICE_UNAVAILABLE',
          outcome: 'NOT_APPLIED',
          retryable: true,
          retryAfterSeconds: 1,
          requestId: expect.any(String) as string,
        },
      },
    ],
  },
};

/** Without a Content-Length, a body is sent in chunks. */
async function post(operation: Operation, { isChunked = false, path = '/graphql' } = {}) {
  const text = JSON.stringify(operation);
  const { statusCode, headers, body } = await request(new URL(path, gateway.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer another' },
    body: isChunked ? Readable.from([text.slice(0, 20_000), text.slice(20_000)]) : text,
  });
  return { status: statusCode, retryAfter: headers['retry-after'], body: await body.json() };
}

test.each([
  ['of declared length', false],
  ['in chunks', true],
])(
  'a large body %s is rejected while others use the memory up, small ones are served',
  async (_form, isChunked) => {
    const name = `full ${isChunked}`;
    const { outcomes, expected } = await fill(name);
    expect(await post(large(`late ${name}`), { isChunked })).toEqual(rejection);
    expect(timesSent(`late ${name}`)).toBe(0);
    for (const field of ['notification', 'notifications', 'createNotification', 'trackShipment'] as const) {
      const { data, errors } = await gateway.execute(about(field, `small ${name}`), { token: 'another' });
      expect({ data, errors }).toEqual(success(field, `small ${name}`));
    }
    expect(gateway.logLines).toContainEqual(
      expect.objectContaining({ msg: 'Request rejected', reason: 'memory' }),
    );
    release();
    expect(await outcomes).toEqual(expected);
    await expect.poll(bytesInFlight).toBe(0);
    const { status, body } = await post(large(`late ${name}`), { isChunked });
    expect({ status, body }).toEqual({ status: 200, body: { data: { trackShipment: { tracked: true } } } });
  },
);

test.each([
  ['one token', (index: number) => ({ token: 'heavy', address: `192.0.2.${index}` })],
  ['one address', (index: number) => ({ token: `heavy-${index}`, address: '192.0.2.1' })],
])('large bodies of %s leave half of their memory for others', async (name, heavyClient) => {
  const operations = [0, 1, 2].map((index) => large(`held ${name} ${index}`));
  const accepted = [];
  for (const [index, operation] of operations.slice(0, 2).entries()) {
    accepted.push(gateway.execute(operation, heavyClient(index)));
    await until(() => timesSent(`held ${name} ${index}`) === 1);
  }
  const { status } = await gateway.execute(operations[2] as Operation, heavyClient(2));
  expect([status, timesSent(`held ${name} 2`)]).toEqual([503, 0]);
  for (const index of [11, 12]) {
    const { data, errors } = await gateway.execute(large(`light ${name} ${index}`), clientOf(index));
    expect({ data, errors }).toEqual(success('trackShipment', name));
  }
  release();
  const outcomes = await Promise.all(accepted);
  expect(outcomes.map(({ data, errors }) => ({ data, errors }))).toEqual(
    Array(2).fill(success('trackShipment', name)),
  );
});

test('a rejected body does not keep its connection open while it arrives', async () => {
  const { outcomes, expected } = await fill('slow');
  const socket = open(gateway.url);
  const received = textOf(socket);
  const [headers = ''] = postOf('{ __typename }').split('\r\ncontent-length');
  socket.write(`${headers}\r\ncontent-length: 100000\r\n\r\n{`);
  const trickle = setInterval(() => socket.write('x'), 100);
  const responses = parseResponses(await received);
  clearInterval(trickle);
  expect(responses.map(({ status }) => status)).toEqual([503]);
  release();
  expect(await outcomes).toEqual(expected);
});

test('a body that is larger than the quarter is served while nothing else counts', async () => {
  const operation = large('alone', 255_000);
  expect(COUNTED_PER_BYTE * bytesOf(operation)).toBeGreaterThan(MAX_BYTES_IN_FLIGHT / 4);
  for (const isChunked of [false, true]) {
    const { status, body } = await post(operation, { isChunked });
    expect({ status, body }).toEqual({ status: 200, body: { data: { trackShipment: { tracked: true } } } });
  }
});

test('a body of more than MAX_BODY_BYTES is too large, however much memory is left', async () => {
  const { outcomes, expected } = await fill('too large');
  expect((await post(large('too large', 300_000))).status).toBe(413);
  release();
  expect(await outcomes).toEqual(expected);
});

test('a body on an unknown path counts until its response is sent', async () => {
  const { outcomes, expected } = await fill('unknown path');
  expect((await post(large('unknown path'), { path: '/unknown' })).status).toBe(503);
  release();
  expect(await outcomes).toEqual(expected);
  await expect.poll(bytesInFlight).toBe(0);
  expect((await post(large('unknown path'), { path: '/unknown' })).status).toBe(404);
});

test('a write whose client has disconnected keeps its body until it ends', async () => {
  const client = new AbortController();
  const operation = large('held write');
  const response = gateway.execute(operation, { signal: client.signal });
  await until(() => timesSent('held write') === 1);
  client.abort();
  await expect(response).rejects.toThrow('aborted');
  const disconnected = 'Client disconnected before the response';
  await until(() => gateway.logLines.some(({ msg }) => msg === disconnected));
  expect(await bytesInFlight()).toBe(COUNTED_PER_BYTE * bytesOf(operation));
  release();
  await expect.poll(bytesInFlight).toBe(0);
});

test.each([
  ['of declared length', 'content-length: 100000'],
  ['in chunks', 'transfer-encoding: chunked'],
])('a client that disconnects frees a body %s that has arrived in part', async (_form, header) => {
  const socket = open(gateway.url);
  await once(socket, 'connect');
  const [headers = ''] = postOf('{ __typename }', []).split('\r\n\r\n');
  const lines = headers.split('\r\n').filter((line) => !/^content-length/i.test(line));
  const part = 'x'.repeat(50_000);
  const sent = header.startsWith('transfer') ? `${part.length.toString(16)}\r\n${part}\r\n` : part;
  socket.write([...lines, header, '', sent].join('\r\n'));
  const counted = header.startsWith('transfer') ? part.length : 100_000;
  await expect.poll(bytesInFlight).toBe(COUNTED_PER_BYTE * counted);
  socket.destroy();
  await expect.poll(bytesInFlight).toBe(0);
});
