/** A defect of the execution itself, which no resolver has thrown, is masked as any other. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { validArguments, asVariables } from '../support/graphql/rootFields.js';

const defect = 'canary of a defect';
vi.mock(import('../../src/graphql/execution/operationCache.js'), async (importOriginal) => {
  const original = await importOriginal();
  return {
    ...original,
    createOperationCache(options) {
      const known = original.createOperationCache(options);
      return {
        add: (text, document) => {
          known.add(text, document);
        },
        find(text, name) {
          const operation = known.find(text, name);
          return operation && { ...operation, execute: () => Promise.reject(new TypeError(defect)) };
        },
      };
    },
  };
});

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

test.each([
  ['notifications', 'query', { retryable: false }, {}],
  ['createNotification', 'mutation', { outcome: 'UNKNOWN', retryable: false }, { outcome: 'UNKNOWN' }],
] as const)('of %s', async (field, operationType, verdict, outcome) => {
  const { query, variables = {} } = asVariables(field, validArguments(field));
  const earlier = gateway.logLines.length;
  await gateway.execute(query); // writes nothing without its variables, and makes the document known
  await vi.waitUntil(() => gateway.logLines.length > earlier);
  const begin = gateway.logLines.length;
  gateway.takeCalls();

  const headers = { 'x-request-id': 'order-7' };
  const { status, data, errors } = await gateway.execute(query, { variables, headers });
  expect({ status, data, errors }).toEqual({
    status: 200,
    data: null,
    errors: [
      {
        message: 'Internal server error',
        extensions: { code: 'INTERNAL_SERVER_ERROR', ...verdict, requestId: 'order-7' },
      },
    ],
  });
  await vi.waitUntil(() => gateway.logLines.length === begin + 2);
  expect(gateway.logLines.slice(begin)).toEqual([
    expect.objectContaining({
      level: 50,
      msg: 'Unexpected error',
      requestId: 'order-7',
      err: expect.objectContaining({ type: 'TypeError', message: defect }) as unknown,
    }),
    expect.objectContaining({
      level: 30,
      msg: 'Request',
      requestId: 'order-7',
      operationType,
      restCalls: 0,
      errorCodes: ['INTERNAL_SERVER_ERROR'],
      ...outcome,
    }),
  ]);
  expect(gateway.takeCalls()).toEqual([]);
});
