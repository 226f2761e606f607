import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fault } from '../../src/reference-service/referenceService.js';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { isDeletion, validArguments, asVariables, type FieldName } from '../support/graphql/rootFields.js';

/** By the number of retries that they are allowed. */
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

const passing: [what: string, interference: Fault, code: string][] = [
  ['429', { status: 429, headers: { 'retry-after': '0' } }, 'RATE_LIMITED'],
  ['429 without Retry-After', { status: 429 }, 'RATE_LIMITED'],
  ['502', { status: 502 }, 'SERVICE_ERROR'],
  ['503', { status: 503, headers: { 'retry-after': '0' } }, 'SERVICE_ERROR'],
  ['504', { status: 504 }, 'SERVICE_ERROR'],
  ['a hang-up before the answer', { disconnect: 'beforeResponse' }, 'SERVICE_ERROR'],
  ['a hang-up within the answer', { disconnect: 'midBody' }, 'SERVICE_ERROR'],
];
const lasting: [what: string, interference: Fault, code: string][] = [
  ['400', { status: 400 }, 'SERVICE_REJECTED'],
  ['401', { status: 401 }, 'UNAUTHENTICATED'],
  ['403', { status: 403 }, 'FORBIDDEN'],
  ['408', { status: 408 }, 'SERVICE_REJECTED'],
  ['409', { status: 409 }, 'CONFLICT'],
  ['500', { status: 500 }, 'SERVICE_ERROR'],
  ['501', { status: 501 }, 'SERVICE_ERROR'],
  ['a redirect', { status: 307 }, 'SERVICE_RESPONSE_INVALID'],
  ['an answer that cannot be used', { body: 'x' }, 'SERVICE_RESPONSE_INVALID'],
  ['a Retry-After beyond the deadline', { status: 429, headers: { 'retry-after': '11' } }, 'RATE_LIMITED'],
];
const reads = ['notification', 'notifications'] as const;
const writes = [
  'createNotification',
  'updateNotification',
  'deleteNotification',
  'trackShipment',
  'deleteException',
] as const;

describe.each(reads)('%s', (field) => {
  beforeAll(succeedOften);

  test.each(passing)('is tried again after %s, as often as is allowed', async (_what, interference, code) => {
    for (const retries of gateways.keys()) {
      expect(await failing(field, interference, retries)).toEqual({ codes: [code], restCalls: 1 + retries });
    }
  });

  test.each(passing)('succeeds where the next try after %s does', async (_what, interference) => {
    const gateway = gatewayWith(2);
    gateway.injectFaults(interference);
    expect(await send(gateway, field)).toEqual({ codes: [], restCalls: 2 });
  });

  test.each(lasting)('is not tried again after %s', async (_what, interference, code) => {
    expect(await failing(field, interference, 2)).toEqual({ codes: [code], restCalls: 1 });
  });
});

describe.each(writes)('%s, which was sent once, is never sent again', (field) => {
  beforeAll(succeedOften);

  test.each(passing)('after %s', async (_what, interference, code) => {
    const isDone = isDeletion(field) && interference.disconnect === 'midBody'; // its status has said so
    expect(await failing(field, interference, 2)).toEqual({ codes: isDone ? [] : [code], restCalls: 1 });
  });
});

test('each element of a list is tried again by itself', async () => {
  const gateway = gatewayWith(2);
  gateway.injectFaults({ status: 503 });
  const operation = asVariables('notificationsByGuid', { notificationGuids: ['one', 'two', 'three'] });
  const { data, errors, calls } = await executeAndRecord(gateway, operation);
  expect([data, errors, calls.length]).toEqual([{ notificationsByGuid: [null, null, null] }, undefined, 4]);
});

/** Retries are at most a share of the calls, and the gateway gives up on a service that fails most of them. */
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

/** What becomes of a field while every REST call ends the same way. */
async function failing(field: FieldName, interference: Fault, retries: number) {
  const gateway = gatewayWith(retries);
  gateway.injectFault(interference);
  const result = await send(gateway, field);
  gateway.injectFault(undefined);
  return result;
}

async function send(gateway: TestGateway, field: FieldName) {
  const operation = asVariables(field, validArguments(field));
  const { errors = [], calls } = await executeAndRecord(gateway, operation);
  return { codes: errors.map(({ extensions }) => extensions['code']), restCalls: calls.length };
}
