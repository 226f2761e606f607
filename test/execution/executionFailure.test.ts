import { expect, test, vi } from 'vitest';
import { useGateway } from '../support/gateway/gateway.js';
import { asVariables, validArguments } from '../support/graphql/rootFields.js';
import { until } from '../support/tools/waiting.js';

const bug = 'canary of a bug';
vi.mock(import('../../src/graphql/executor.js'), async (importOriginal) => ({
  ...(await importOriginal()),
  createExecutorFactory: () => () => ({
    execute: () => Promise.reject(new TypeError(bug)),
    dispose: () => undefined,
  }),
}));
const gateway = useGateway();

test.each([
  ['notifications', 'query', { retryable: false }, {}],
  ['createNotification', 'mutation', { outcome: 'UNKNOWN', retryable: false }, { outcome: 'UNKNOWN' }],
] as const)(
  'masks and logs an error that the executor throws for %s, through Apollo Server and past it',
  async (field, operationType, verdict, outcome) => {
    const { query, variables = {} } = asVariables(field, validArguments(field));
    for (const requestId of ['first', 'second']) {
      const earlier = gateway.logLines.length;
      const headers = { 'x-request-id': requestId };
      const { status, data, errors } = await gateway.execute(query, { variables, headers });
      expect({ status, data, errors }).toEqual({
        status: 200,
        data: null,
        errors: [
          {
            message: 'Internal server error',
            extensions: { code: 'INTERNAL_SERVER_ERROR', ...verdict, requestId },
          },
        ],
      });
      await until(() => gateway.logLines.length === earlier + 2);
      expect(gateway.logLines.slice(earlier)).toEqual([
        expect.objectContaining({
          level: 50,
          msg: 'Unexpected error',
          requestId,
          err: expect.objectContaining({ type: 'TypeError', message: bug }) as unknown,
        }),
        expect.objectContaining({
          level: 50,
          msg: 'Request',
          requestId,
          operationType,
          restCalls: 0,
          errorCodes: ['INTERNAL_SERVER_ERROR'],
          ...outcome,
        }),
      ]);
    }
    expect(gateway.takeCalls()).toEqual([]);
  },
);
