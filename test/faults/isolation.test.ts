/** Isolation: a client's token, data, errors and disconnects never affect another client. */
import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { expect, test, vi } from 'vitest';
import { invalid, promptCases } from '../support/service/faultCases.js';
import { startFaultGateway } from '../support/gateway/faultGateway.js';
import { about, failure, success, type Failure } from '../support/graphql/faultOperations.js';
import { fieldNames, methodOf, type FieldName } from '../support/graphql/rootFields.js';
import type { FaultPlan } from '../support/service/faults.js';
import { seededRandom } from '../support/tools/seededRandom.js';
import { sizes } from '../support/tools/scale.js';

vi.setConfig({ testTimeout: sizes.testTimeoutMs, hookTimeout: sizes.testTimeoutMs });

interface Call {
  requestId: string;
  field: FieldName;
  subject: string;
  /** Faults of the first REST calls made for it. */
  faults: readonly FaultPlan[];
  /** The expected failure; undefined if it succeeds or its client disconnects. */
  failure?: Failure;
  disconnectsAfterMs?: number;
}

const TOKENS = 100;

test('concurrent calls with many tokens, some failing or cancelled, each get only their own results', async () => {
  const random = seededRandom('isolation');
  const tokens = Array.from({ length: TOKENS }, () => random.bytes(24).toString('base64'));
  const userOf = (token: number) => `user-${token}`;
  const ownerOf = (authorization: unknown) => tokens.indexOf(String(authorization).replace('Bearer ', ''));

  const chooseCall = (token: number, number: number): Call => {
    const field = fieldNames[random.below(fieldNames.length)] ?? 'notification';
    // All tokens share the subjects, so that only the token distinguishes their calls.
    const call: Call = {
      requestId: `${token}.${number}`,
      field,
      subject: `shared ${random.below(5)}`,
      faults: [],
    };
    const isRead = methodOf(field) === 'GET';
    const always = (fault: FaultPlan, expected: Failure): Call => ({
      ...call,
      faults: [fault, fault, fault],
      failure: expected,
    });
    switch (random.below(25)) {
      case 0: {
        const serviceMessages = [{ message: `No, ${userOf(token)}` }];
        const body = JSON.stringify({ messages: serviceMessages });
        return always(
          { kind: 'respond', status: 403, body },
          {
            message: 'The service does not permit this operation',
            code: 'FORBIDDEN',
            outcome: 'NOT_APPLIED',
            retryable: false,
            status: 403,
            serviceMessages,
          },
        );
      }
      case 1:
        return always(
          { kind: 'respond', status: 302, headers: { location: `/${userOf(token)}` } },
          invalid('The service responded with a redirect', 302),
        );
      case 2: {
        const { fault, failure: lost } = promptCases['reset after execution'];
        return isRead ? { ...call, faults: [fault] } : always(fault, lost);
      }
      case 3:
        return { ...call, faults: [{ kind: 'delay', until: () => sleep(20) }] };
      case 4:
        return {
          ...call,
          faults: [{ kind: 'delay', until: () => sleep(20) }],
          disconnectsAfterMs: random.below(20),
        };
      default:
        return call;
    }
  };
  const calls = tokens.map((_, token) =>
    Array.from({ length: sizes.operationsPerToken }, (_, number) => chooseCall(token, number)),
  );

  const gateway = await startFaultGateway({
    env: { SERVICE_TIMEOUT_MS: '60000' },
    userOf: (authorization) => userOf(ownerOf(authorization)),
  });
  const { service } = gateway;
  const attempts = new Map<string, number>();
  const mixedUp: string[] = [];
  service.plan = ({ headers }) => {
    const requestId = String(headers['x-request-id']);
    const [token = 0, number = 0] = requestId.split('.').map(Number);
    const attempt = attempts.get(requestId) ?? 0;
    attempts.set(requestId, attempt + 1);
    const owner = ownerOf(headers['authorization']);
    if (owner !== token) mixedUp.push(`a call of ${token} came with the token of ${owner}`);
    return calls[token]?.[number]?.faults[attempt];
  };

  const results = await pMap(
    calls,
    async (callsOfToken, token) => {
      const resultsOfToken = [];
      for (const { requestId, field, subject, disconnectsAfterMs } of callsOfToken) {
        const options = {
          token: tokens[token] ?? '',
          requestId,
          ...(disconnectsAfterMs !== undefined && { signal: AbortSignal.timeout(disconnectsAfterMs) }),
        };
        const result = await gateway.execute(about(field, subject), options).then(
          ({ data, errors, headers }) => ({ data, errors, requestId: headers['x-request-id'] }),
          () => 'disconnected',
        );
        resultsOfToken.push(disconnectsAfterMs === undefined ? result : 'disconnected');
      }
      return resultsOfToken;
    },
    { concurrency: TOKENS },
  );
  expect(mixedUp).toEqual([]);
  for (const [token, callsOfToken] of calls.entries()) {
    const expected = callsOfToken.map((call) => {
      if (call.disconnectsAfterMs !== undefined) return 'disconnected';
      const { requestId, field, subject } = call;
      const result = call.failure
        ? failure(field, call.failure, requestId)
        : success(field, subject, userOf(token));
      return { ...result, requestId };
    });
    expect(results[token]).toEqual(expected);
  }
  const all = calls.flat();
  console.log(
    `${all.length} operations, ${all.filter((call) => call.failure).length} failed, ${all.filter(({ disconnectsAfterMs }) => disconnectsAfterMs !== undefined).length} disconnected, ${service.requests.length} REST calls`,
  );
  await gateway.stop();
});
