/** One caller's token, rows, errors and leaving never reach another. */
import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { expect, test, vi } from 'vitest';
import { invalid, promptCases } from '../support/service/faultCases.js';
import { startFaultGateway } from '../support/gateway/faultGateway.js';
import { about, failure, success, type Failure } from '../support/graphql/faultOperations.js';
import { fieldNames, methodOf, type FieldName } from '../support/graphql/rootFields.js';
import type { Fault } from '../support/service/faults.js';
import { seededRandom } from '../support/tools/seededRandom.js';
import { sizes } from '../support/tools/scale.js';

vi.setConfig({ testTimeout: sizes.testTimeoutMs, hookTimeout: sizes.testTimeoutMs });

interface Call {
  requestId: string;
  field: FieldName;
  subject: string;
  /** What goes wrong with the first requests made for it. */
  faults: readonly Fault[];
  /** How it ends; undefined when all goes well, or when its caller leaves. */
  failure?: Failure;
  leavesAfterMs?: number;
}

const TOKENS = 100;

test('calls of many tokens at a time, some of which fail or are given up, get what is theirs alone', async () => {
  const random = seededRandom('isolation');
  const tokens = Array.from({ length: TOKENS }, () => random.bytes(24).toString('base64'));
  const userOf = (token: number) => `user-${token}`;
  const ownerOf = (authorization: unknown) => tokens.indexOf(String(authorization).replace('Bearer ', ''));

  const chooseCall = (token: number, number: number): Call => {
    const field = fieldNames[random.below(fieldNames.length)] ?? 'notification';
    // The subjects are the same for all tokens, so that nothing but the token tells their calls apart.
    const call: Call = {
      requestId: `${token}.${number}`,
      field,
      subject: `shared ${random.below(5)}`,
      faults: [],
    };
    const isRead = methodOf(field) === 'GET';
    const always = (fault: Fault, expected: Failure): Call => ({
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
          leavesAfterMs: random.below(20),
        };
      default:
        return call;
    }
  };
  const calls = tokens.map((_, token) =>
    Array.from({ length: sizes.operationsOfEachToken }, (_, number) => chooseCall(token, number)),
  );

  const gateway = await startFaultGateway({
    env: { SERVICE_TIMEOUT_MS: '60000' },
    userOf: (authorization) => userOf(ownerOf(authorization)),
  });
  const { service } = gateway;
  const tries = new Map<string, number>();
  const strangers: string[] = [];
  service.plan = ({ headers }) => {
    const requestId = String(headers['x-request-id']);
    const [token = 0, number = 0] = requestId.split('.').map(Number);
    const tried = tries.get(requestId) ?? 0;
    tries.set(requestId, tried + 1);
    const owner = ownerOf(headers['authorization']);
    if (owner !== token) strangers.push(`a call of ${token} came with the token of ${owner}`);
    return calls[token]?.[number]?.faults[tried];
  };

  const ends = await pMap(
    calls,
    async (callsOfToken, token) => {
      const endsOfToken = [];
      for (const { requestId, field, subject, leavesAfterMs } of callsOfToken) {
        const options = {
          token: tokens[token] ?? '',
          requestId,
          ...(leavesAfterMs !== undefined && { signal: AbortSignal.timeout(leavesAfterMs) }),
        };
        const end = await gateway.execute(about(field, subject), options).then(
          ({ data, errors, headers }) => ({ data, errors, requestId: headers['x-request-id'] }),
          () => 'left',
        );
        endsOfToken.push(leavesAfterMs === undefined ? end : 'left');
      }
      return endsOfToken;
    },
    { concurrency: TOKENS },
  );
  expect(strangers).toEqual([]);
  for (const [token, callsOfToken] of calls.entries()) {
    const expected = callsOfToken.map((call) => {
      if (call.leavesAfterMs !== undefined) return 'left';
      const { requestId, field, subject } = call;
      const end = call.failure
        ? failure(field, call.failure, requestId)
        : success(field, subject, userOf(token));
      return { ...end, requestId };
    });
    expect(ends[token]).toEqual(expected);
  }
  const all = calls.flat();
  console.log(
    `${all.length} operations, ${all.filter((call) => call.failure).length} failed, ${all.filter(({ leavesAfterMs }) => leavesAfterMs !== undefined).length} left, ${service.requests.length} REST calls`,
  );
  await gateway.stop();
});
