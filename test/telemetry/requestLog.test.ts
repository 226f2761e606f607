import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Fault } from '../../src/mock/mockService.js';
import { useGateway } from '../support/gateway/gateway.js';
import { SEED_GUID } from '../support/graphql/rootFields.js';
import { createGate, until } from '../support/tools/waiting.js';

type FetchOptions = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> };
const gateway = useGateway({
  readsBack: false,
  env: { RATE_LIMIT: '3/60s', TRUST_PROXY: '1' },
  config: { http: { maxBodyBytes: 10_000 }, service: { retries: 1 } },
});
beforeEach(() => {
  gateway.logLines.length = 0;
});

/** The single request line, without the values that vary. */
async function requestLine(): Promise<Record<string, unknown>> {
  const lines = await until(() => {
    const requestLines = gateway.logLines.filter(({ msg }) => msg === 'Request');
    return requestLines.length > 0 && requestLines;
  });
  expect(lines.length).toBe(1);
  const { time, pid, hostname, msg, durationMs, requestId, ...line } = lines[0] ?? {};
  expect({ time, pid, hostname, msg }).toEqual({
    time: expect.any(Number) as number,
    pid: process.pid,
    hostname: expect.any(String) as string,
    msg: 'Request',
  });
  expect(String(durationMs)).toMatch(/^\d{1,5}(?:\.\d)?$/);
  expect(requestId).toMatch(/^[\w-]{1,36}$/);
  return line;
}

/** The last REST attempt that failed. */
const failedGet = (status: number, error = 'RejectedError') => ({
  failedCall: { method: 'GET', route: '/v1/customnotifications', status, error },
});
const failedDelete = (status: number, error = 'RejectedError') => ({
  failedCall: { method: 'DELETE', route: '/v1/customnotifications/{notificationGuid}', status, error },
});
const failedService = 'ServiceFailureError';
const served = { level: 30, method: 'POST', status: 200, restCalls: 1, errorCodes: [] };
const remove = (guid: string) => `deleteNotification(notificationGuid: "${guid}") { messages }`;
const READ = '{ notifications { messages } }';

let addresses = 0;
/** A new address each time keeps every request below the rate limit. */
const fromNewAddress = () => ({ 'x-forwarded-for': `198.51.100.${(addresses += 1)}` });
const execute = (query: string) => gateway.execute(query, { headers: fromNewAddress() });

describe('a request is logged as one line that describes', () => {
  test.each<[string, string, Record<string, unknown>, Fault[]]>([
    ['a query', `query List ${READ}`, { operationType: 'query', operationName: 'List' }, []],
    [
      'an operation with two REST calls',
      `{ notification(notificationGuid: "${SEED_GUID}") { filters } ${READ.slice(1, -1)} }`,
      { operationType: 'query', restCalls: 2 },
      [],
    ],
    [
      'a query that fails',
      `query Fails ${READ}`,
      { operationType: 'query', operationName: 'Fails', errorCodes: ['FORBIDDEN'], ...failedGet(403) },
      [{ status: 403 }],
    ],
    [
      'a mutation that is applied',
      `mutation Remove { ${remove(SEED_GUID)} }`,
      { operationType: 'mutation', operationName: 'Remove', outcome: 'APPLIED' },
      [],
    ],
    [
      'a mutation that is not applied',
      `mutation { ${remove('none')} }`,
      { operationType: 'mutation', outcome: 'NOT_APPLIED', errorCodes: ['NOT_FOUND'], ...failedDelete(404) },
      [],
    ],
    [
      'a mutation with an unknown outcome',
      `mutation { a: ${remove('none')} b: ${remove('other')} }`,
      {
        level: 40,
        operationType: 'mutation',
        outcome: 'UNKNOWN',
        restCalls: 2,
        errorCodes: ['SERVICE_ERROR', 'NOT_FOUND'],
        ...failedDelete(404),
      },
      [{ disconnect: 'beforeResponse' }],
    ],
    [
      'a mutation with invalid input',
      `mutation { ${remove('..')} }`,
      { operationType: 'mutation', outcome: 'NOT_APPLIED', restCalls: 0, errorCodes: ['BAD_USER_INPUT'] },
      [],
    ],
    [
      'an operation that fails validation',
      '{ nothing }',
      { status: 422, restCalls: 0, errorCodes: ['GRAPHQL_VALIDATION_FAILED'] },
      [],
    ],
    [
      'a document that fails to parse',
      '{',
      { status: 400, restCalls: 0, errorCodes: ['GRAPHQL_PARSE_FAILED'] },
      [],
    ],
    [
      'a mutation with a key that the gateway is configured to reject',
      `mutation { deleteNotification(notificationGuid: "none", idempotencyKey: "${randomUUID()}") { messages } }`,
      {
        operationType: 'mutation',
        outcome: 'NOT_APPLIED',
        restCalls: 0,
        errorCodes: ['IDEMPOTENCY_UNAVAILABLE'],
        keysNotEnabled: true,
      },
      [],
    ],
  ])('%s', async (_what, query, expected, faults) => {
    gateway.injectFaults(...faults);
    await execute(query);
    expect(await requestLine()).toEqual({ ...served, ...expected });
  });
});

describe('a failure through no fault of the client is logged at warn:', () => {
  const failure = { level: 40, operationType: 'query', restCalls: 1 };
  test.each<[string, string, Record<string, unknown>, Fault[]]>([
    [
      'the service fails',
      READ,
      { ...failure, errorCodes: ['SERVICE_ERROR'], ...failedGet(500, failedService) },
      [{ status: 500 }],
    ],
    [
      'one of several fields fails',
      `{ a: ${READ.slice(1, -1)} notification(notificationGuid: "..") { filters } }`,
      {
        ...failure,
        errorCodes: expect.arrayContaining(['BAD_USER_INPUT', 'SERVICE_ERROR']) as unknown,
        ...failedGet(500, failedService),
      },
      [{ status: 500 }],
    ],
  ])('%s', async (_what, query, expected, faults) => {
    gateway.injectFaults(...faults);
    await execute(query);
    expect(await requestLine()).toEqual({ ...served, ...expected });
  });
});

describe('a rejected request is logged as one line', () => {
  const json = { 'content-type': 'application/json' };
  const rejected = { level: 30, method: 'POST', restCalls: 0 };
  test.each<[what: string, status: number, path: string, options?: FetchOptions]>([
    ['an unknown path', 404, '/other'],
    ['an unsupported method', 405, '/graphql', { method: 'PUT' }],
    ['a GET without a CSRF prevention header', 403, '/graphql?query={__typename}'],
    ['a malformed body', 400, '/graphql', { method: 'POST', body: '{', headers: json }],
    ['a body without an operation', 422, '/graphql', { method: 'POST', body: '{}', headers: json }],
    ['a body over the limit', 413, '/graphql', { method: 'POST', body: ' '.repeat(10_001), headers: json }],
  ])('for %s, with status %i', async (what, status, path, { method = 'GET', ...options } = {}) => {
    const headers = { ...options.headers, 'x-forwarded-for': `10.0.${what.length}.1` };
    await fetch(new URL(path, gateway.url), { method, ...options, headers });
    expect(await requestLine()).toEqual({ ...rejected, method, status, errorCodes: ['BAD_REQUEST'] });
  });

  test('over the rate limit', async () => {
    for (let count = 0; count < 3; count += 1) await gateway.data('{ __typename }');
    await until(() => gateway.logLines.length === 3);
    gateway.logLines.length = 0;
    await gateway.execute('{ __typename }');
    expect(await requestLine()).toEqual({ ...rejected, status: 429, errorCodes: ['RATE_LIMITED'] });
  });
});

test('health checks are not logged', async () => {
  for (const path of ['/livez', '/readyz', '/livez?a=b']) await fetch(new URL(path, gateway.url));
  await execute('{ __typename }');
  await requestLine();
  expect(gateway.logLines.length).toBe(1);
});

describe('a client disconnect is logged without a status', () => {
  const cancelled = {
    failedCall: { method: 'GET', route: '/v1/customnotifications', error: 'CancelledError' },
  };
  test.each<[string, string, Record<string, unknown>, Fault]>([
    ['during a query', READ, { operationType: 'query', errorCodes: ['SERVICE_ERROR'], ...cancelled }, {}],
    [
      'during a mutation, which runs to completion',
      `mutation { ${remove('none')} }`,
      { operationType: 'mutation', errorCodes: ['NOT_FOUND'], outcome: 'NOT_APPLIED', ...failedDelete(404) },
      {},
    ],
    [
      'at warn, during a mutation whose outcome is unknown',
      `mutation { ${remove('none')} }`,
      {
        level: 40,
        operationType: 'mutation',
        errorCodes: ['SERVICE_ERROR'],
        outcome: 'UNKNOWN',
        ...failedDelete(500, failedService),
      },
      { status: 500 },
    ],
  ])('%s', async (_what, query, expected, fault) => {
    gateway.takeCalls();
    const { opened, open } = createGate();
    gateway.injectFaults({ heldUntil: opened, ...fault });
    const client = new AbortController();
    const response = gateway.execute(query, { headers: fromNewAddress(), signal: client.signal });
    await until(() => gateway.takeCalls().length === 1);
    client.abort();
    await expect(response).rejects.toThrow('aborted');
    await until(() => gateway.logLines.some(({ msg }) => msg === 'Client disconnected before the response'));
    open();
    expect(await requestLine()).toEqual({ level: 30, method: 'POST', restCalls: 1, ...expected });
  });

  test('while the client is still sending its request', async () => {
    const sending = httpRequest(gateway.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': 1000,
        'x-forwarded-for': '192.0.2.9', // has not used up its rate limit
        expect: '100-continue',
      },
    });
    sending.on('error', () => undefined);
    sending.flushHeaders();
    await once(sending, 'continue');
    sending.write('{"query":');
    sending.destroy();
    expect(await requestLine()).toEqual({ level: 30, method: 'POST', restCalls: 0, errorCodes: [] });
    expect(gateway.logLines.length).toBe(1);
  });
});
