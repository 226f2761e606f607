import { expect, onTestFinished, test } from 'vitest';
import { bug, untilCompiled } from '../support/execution/compiler.js';
import { useGateway } from '../support/gateway/gateway.js';
import { asVariables, validArguments } from '../support/graphql/rootFields.js';
import { until } from '../support/tools/waiting.js';

const message = 'canary of a bug';
const gateway = useGateway();
const throws = () => {
  throw new TypeError(message);
};
const rejects = () => Promise.reject(new TypeError(message));

/** Sends an operation past Apollo Server; with GET, through it. */
async function send(field: 'createNotification' | 'notifications', method: 'GET' | 'POST') {
  const { query, variables = {} } = asVariables(field, validArguments(field));
  const headers = { 'x-request-id': 'the-request' };
  if (method === 'POST') return gateway.execute({ query, variables }, { headers });
  const response = await fetch(`${gateway.url}?${new URLSearchParams({ query }).toString()}`, {
    headers: { ...headers, 'apollo-require-preflight': '1' },
  });
  return { status: response.status, ...((await response.json()) as { data: unknown; errors: unknown }) };
}

test.each([
  ['notifications', 'POST', throws, {}],
  ['notifications', 'GET', rejects, {}],
  ['createNotification', 'POST', throws, { outcome: 'UNKNOWN' }],
] as const)(
  'an error that the executor throws for %s with %s is masked and logged',
  async (field, method, run, outcome) => {
    await untilCompiled(() => send(field, 'POST'));
    bug.run = run;
    onTestFinished(() => void delete bug.run);
    gateway.takeCalls();
    const requestId = 'the-request';
    const earlier = gateway.logLines.length;
    const { status, data, errors } = await send(field, method);
    expect({ status, data, errors }).toEqual({
      status: 200,
      data: null,
      errors: [
        {
          message: 'Internal server error',
          extensions: { code: 'INTERNAL_SERVER_ERROR', ...outcome, retryable: false, requestId },
        },
      ],
    });
    await until(() => gateway.logLines.length === earlier + 2);
    expect(gateway.logLines.slice(earlier)).toEqual([
      expect.objectContaining({
        level: 50,
        msg: 'Unexpected error',
        requestId,
        err: expect.objectContaining({ type: 'TypeError', message }) as unknown,
      }),
      expect.objectContaining({
        level: 50,
        msg: 'Request',
        requestId,
        operationType: field === 'notifications' ? 'query' : 'mutation',
        restCalls: 0,
        errorCodes: ['INTERNAL_SERVER_ERROR'],
        ...outcome,
      }),
    ]);
    expect(gateway.takeCalls()).toEqual([]);
  },
);
