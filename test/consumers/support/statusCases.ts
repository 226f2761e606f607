/** Data with errors, and requests that are rejected for their content, a rate limit and overload. */
import { expect } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.js';
import { until } from '../../support/tools/waiting.js';
import type { ClientResult } from './clientResult.js';

export interface StatusCase {
  /** Endpoint of the gateway that responds like this. */
  url: string;
  query: string;
  /** Status of the response to a client that names `application/graphql-response+json`. */
  status: number;
  /** Reason phrase. */
  reason: string;
  /** Value of the Retry-After header. */
  retryAfter: string | null;
  content: ClientResult;
}

/** The field fails for want of a token. */
const READ = '{ __typename notification(notificationGuid: "a") { notificationName } }';
const requestId = expect.any(String) as string;
const rejected = { outcome: 'NOT_APPLIED', retryable: true, requestId };

/** Starts a gateway that allows one REST call per operation, one whose rate limit is reached, and an overloaded one. */
export async function startStatusGateways(env: Record<string, string> = {}) {
  const accepting = await startGateway({
    env,
    config: { graphql: { maxRestCalls: 1 } },
  });
  const limited = await startGateway({ env: { ...env, RATE_LIMIT: '1/600s' } });
  await limited.execute('{ __typename }', { token: null });
  const overloaded = await startGateway({
    env: { ...env, SERVICE_TIMEOUT_MS: '600000' },
    config: { http: { maxInFlightRequests: 1, maxConnections: 10 } },
  });
  const release = await holdRequest(overloaded);

  const cases: StatusCase[] = [
    {
      url: accepting.url,
      query: READ,
      status: 294,
      reason: 'Partial Success',
      retryAfter: null,
      content: {
        data: { __typename: 'Query', notification: null },
        errors: [
          {
            message: 'Expected the header "Authorization: Bearer <token>"',
            path: ['notification'],
            extensions: { code: 'UNAUTHENTICATED', retryable: false, requestId },
          },
        ],
      },
    },
    {
      url: accepting.url,
      query: '{ notificationsByGuid(notificationGuids: ["a", "b"]) { notificationName } }',
      status: 422,
      reason: 'Unprocessable Entity',
      retryAfter: null,
      content: rejection({
        message: 'Expected at most 1 REST calls, got 2',
        extensions: { code: 'QUERY_TOO_COMPLEX', retryable: false, requestId },
      }),
    },
    {
      url: limited.url,
      query: READ,
      status: 429,
      reason: 'Too Many Requests',
      retryAfter: expect.stringMatching(/^\d+$/) as string,
      content: rejection({
        message: 'Too many requests',
        extensions: {
          ...rejected,
          code: 'RATE_LIMITED',
          retryAfterSeconds: expect.any(Number) as number,
        },
      }),
    },
    {
      url: overloaded.url,
      query: READ,
      status: 503,
      reason: 'Service Unavailable',
      retryAfter: '1',
      content: rejection({
        message: 'The gateway is overloaded',
        extensions: { ...rejected, code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 },
      }),
    },
  ];
  const stop = async () => {
    await release();
    for (const gateway of [accepting, limited, overloaded]) await gateway.stop();
  };
  return { cases, stop };
}

function rejection(error: ClientResult['errors'][number]): ClientResult {
  return { data: undefined, errors: [error] };
}

/** Keeps a request in flight until the returned function is called. */
async function holdRequest(gateway: TestGateway): Promise<() => Promise<void>> {
  gateway.injectFaults({ delayMs: 600_000 });
  const client = new AbortController();
  const inFlight = gateway
    .execute('{ notifications { totalPossibleCount } }', { signal: client.signal })
    .catch(() => undefined);
  await until(() => gateway.takeCalls().length > 0);
  return async () => {
    client.abort();
    await inFlight;
  };
}
