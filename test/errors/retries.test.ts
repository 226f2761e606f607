import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fault } from '../../src/mock/mockService.js';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { validArguments, asVariables, type FieldName } from '../support/graphql/rootFields.js';

/** Gateways by SERVICE_RETRIES. */
const gateways = new Map<number, TestGateway>();
beforeAll(async () => {
  for (const retries of [0, 2]) {
    gateways.set(
      retries,
      await startGateway({ env: { SERVICE_RETRIES: String(retries), MAX_REST_CALLS: '100' } }),
    );
  }
});
afterAll(async () => {
  for (const gateway of gateways.values()) await gateway.stop();
});

const transient: [failure: string, fault: Fault, code: string][] = [
  ['429', { status: 429, headers: { 'retry-after': '0' } }, 'RATE_LIMITED'],
  ['429 without Retry-After', { status: 429 }, 'RATE_LIMITED'],
  ['502', { status: 502 }, 'SERVICE_ERROR'],
  ['503', { status: 503, headers: { 'retry-after': '0' } }, 'SERVICE_ERROR'],
  ['504', { status: 504 }, 'SERVICE_ERROR'],
  ['a connection loss before the response', { disconnect: 'beforeResponse' }, 'SERVICE_ERROR'],
  ['a connection loss within the response', { disconnect: 'midBody' }, 'SERVICE_ERROR'],
];
const permanent: [failure: string, fault: Fault, code: string][] = [
  ['400', { status: 400 }, 'SERVICE_REJECTED'],
  ['401', { status: 401 }, 'UNAUTHENTICATED'],
  ['403', { status: 403 }, 'FORBIDDEN'],
  ['408', { status: 408 }, 'SERVICE_REJECTED'],
  ['409', { status: 409 }, 'CONFLICT'],
  ['500', { status: 500 }, 'SERVICE_ERROR'],
  ['501', { status: 501 }, 'SERVICE_ERROR'],
  ['a redirect', { status: 307 }, 'SERVICE_RESPONSE_INVALID'],
  ['an invalid response', { body: 'x' }, 'SERVICE_RESPONSE_INVALID'],
  ['a Retry-After beyond the deadline', { status: 429, headers: { 'retry-after': '120' } }, 'RATE_LIMITED'],
];

describe('A read', () => {
  const field = 'notification';
  beforeAll(succeedOften);

  test.each(transient)('is retried SERVICE_RETRIES times after %s', async (_failure, fault, code) => {
    for (const retries of gateways.keys()) {
      expect(await sendWithFault(field, fault, retries)).toEqual({ codes: [code], restCalls: 1 + retries });
    }
  });

  test.each(transient)('succeeds if the retry after %s does', async (_failure, fault) => {
    const gateway = gatewayWith(2);
    gateway.injectFaults(fault);
    expect(await send(gateway, field)).toEqual({ codes: [], restCalls: 2 });
  });

  test.each(permanent)('is not retried after %s', async (_failure, fault, code) => {
    expect(await sendWithFault(field, fault, 2)).toEqual({ codes: [code], restCalls: 1 });
  });
});

describe.each(['createNotification', 'deleteException'] as const)('%s is never resent', (field) => {
  beforeAll(succeedOften);

  test.each(transient)('after %s', async (_failure, fault, code) => {
    expect(await sendWithFault(field, fault, 2)).toEqual({ codes: [code], restCalls: 1 });
  });
});

test('notificationsByGuid retries each read separately', async () => {
  const gateway = gatewayWith(2);
  gateway.injectFaults({ status: 503 });
  const operation = asVariables('notificationsByGuid', { notificationGuids: ['one', 'two', 'three'] });
  const { data, errors, calls } = await executeAndRecord(gateway, operation);
  expect([data, errors, calls.length]).toEqual([{ notificationsByGuid: [null, null, null] }, undefined, 4]);
});

/** Successful reads earn retries for the retry budget and keep the circuit breaker closed. */
async function succeedOften(): Promise<void> {
  for (const part of ['a', 'b', 'c']) {
    const notificationGuids = Array.from({ length: 100 }, (_, index) => `unknown-${part}${index}`);
    await executeAndRecord(gatewayWith(2), asVariables('notificationsByGuid', { notificationGuids }));
  }
}

function gatewayWith(retries: number): TestGateway {
  const gateway = gateways.get(retries);
  if (gateway === undefined) throw new Error(`Expected a gateway with ${retries} retries`);
  return gateway;
}

/** The result of a field while every REST call meets the same fault. */
async function sendWithFault(field: FieldName, fault: Fault, retries: number) {
  const gateway = gatewayWith(retries);
  gateway.injectFault(fault);
  const result = await send(gateway, field);
  gateway.injectFault(undefined);
  return result;
}

async function send(gateway: TestGateway, field: FieldName) {
  const operation = asVariables(field, validArguments(field));
  const { errors = [], calls } = await executeAndRecord(gateway, operation);
  return { codes: errors.map(({ extensions }) => extensions['code']), restCalls: calls.length };
}
