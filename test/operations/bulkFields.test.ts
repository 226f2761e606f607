/** Bulk fields: an outcome for each item, in order, reported as the field for one reports it. */
import { describe, expect, test } from 'vitest';
import { useFaultGateway, type FaultGateway } from '../support/gateway/faultGateway.js';
import { bulkFields, bulkOperation, itemAbout, resultError } from '../support/graphql/bulkFields.js';
import { replayCalls } from '../support/graphql/faultOperations.js';
import {
  asVariables,
  fieldNames,
  isMutation,
  methodOf,
  subjectPathOf,
  type Operation,
} from '../support/graphql/rootFields.js';
import { createGate, until } from '../support/tools/waiting.js';

const env = { IDEMPOTENCY_STORE: 'memory' };
const gateway = useFaultGateway({ env, config: { service: { retries: 0, circuitOpenMs: 1 } } });

/** Sends an operation; resolves with the response and the REST calls, sorted. */
async function send(operation: Operation, options: { token?: string; at?: FaultGateway } = {}) {
  const { at = gateway, ...rest } = options;
  const before = at.service.requests.length;
  at.logLines.length = 0;
  const { status, data, errors } = await at.execute(operation, rest);
  await until(() => at.logLines.some(({ msg }) => msg === 'Request'));
  const [line] = at.logLines.filter(({ msg }) => msg === 'Request');
  return {
    status,
    data: data as Record<string, unknown> | null | undefined,
    errors,
    calls: at.service.requests
      .slice(before)
      .map(({ method, subject }) => `${method} ${subject}`)
      .sort(),
    logged: {
      level: line?.['level'],
      outcome: line?.['outcome'],
      errorCodes: line?.['errorCodes'],
      items: line?.['items'],
    },
  };
}

let round = 0;
/** Subjects that no other test has. */
function subjects(count: number): string[] {
  round += 1;
  return Array.from({ length: count }, (_, index) => `round-${round}-${index}`);
}

const applied = { outcome: 'APPLIED', evidence: 'RESPONSE', errors: [] };
const failed = (error: object, outcome = 'NOT_APPLIED', evidence: string | null = 'NOT_SENT') => ({
  outcome,
  evidence,
  errors: [error],
});
const FORBIDDEN = resultError('FORBIDDEN', 'The service does not permit this operation', { status: 403 });
const OTHER_INVALID = resultError(
  'OTHER_ITEM_INVALID',
  'Another item of the list is invalid, so none was sent',
);
const counts = (all: number, notApplied: number, unknown = 0) => ({
  applied: all - notApplied - unknown,
  notApplied,
  unknown,
});
const itemsLogged = (all: number, notApplied: number, errorCodes: string[]) => ({
  total: all,
  ...counts(all, notApplied),
  failed: notApplied,
  errorCodes,
});

test('Each mutation field has a bulk field', () => {
  expect(bulkFields.map(([, one]) => one).sort()).toEqual(fieldNames.filter(isMutation).sort());
});

describe.each(bulkFields)('%s', (many, one) => {
  const method = methodOf(one);
  const itemsAbout = (names: readonly string[]) => names.map((name) => itemAbout(one, name));

  test('sends each item, and has the results in their order', async () => {
    const names = subjects(5);
    // The first responses come last.
    const gates = new Map(names.map((name) => [name, createGate()]));
    const { plan } = gateway.service;
    gateway.service.plan = ({ subject }) => {
      const gate = gates.get(subject);
      const next = names[names.indexOf(subject) - 1];
      return (
        gate && {
          kind: 'delay',
          until: async () => {
            if (names.indexOf(subject) === names.length - 1) gate.open();
            await gate.opened;
            if (next !== undefined) gates.get(next)?.open();
          },
          ...(subject === names[3] && { then: { kind: 'respond', status: 403 } }),
        }
      );
    };
    const { calls, ...result } = await send(bulkOperation(many, itemsAbout(names)));
    gateway.service.plan = plan;
    expect(calls).toEqual(names.map((name) => `${method} ${name}`));
    expect(result).toEqual({
      status: 200,
      data: {
        [many]: {
          results: [applied, applied, applied, failed(FORBIDDEN, 'NOT_APPLIED', 'RESPONSE'), applied],
          ...counts(5, 1),
        },
      },
      errors: undefined,
      logged: { level: 30, outcome: 'NOT_APPLIED', errorCodes: [], items: itemsLogged(5, 1, ['FORBIDDEN']) },
    });
  });

  test('has null and a GraphQL error for a failed item without `errors` in its selection', async () => {
    const names = subjects(3);
    gateway.service.faults.set(names[1] ?? '', [{ kind: 'respond', status: 403 }]);
    const operation = bulkOperation(many, itemsAbout(names), {
      selection: 'results { outcome } applied notApplied unknown',
    });
    expect(await send(operation)).toEqual({
      status: 200,
      data: { [many]: { results: [{ outcome: 'APPLIED' }, null, { outcome: 'APPLIED' }], ...counts(3, 1) } },
      errors: [
        {
          message: 'The service does not permit this operation',
          locations: [{ line: 1, column: expect.any(Number) as number }],
          path: [many, 'results', 1],
          extensions: {
            code: 'FORBIDDEN',
            outcome: 'NOT_APPLIED',
            retryable: false,
            status: 403,
            requestId: expect.any(String) as string,
          },
        },
      ],
      calls: names.map((name) => `${method} ${name}`),
      logged: { level: 30, outcome: 'NOT_APPLIED', errorCodes: [], items: itemsLogged(3, 1, ['FORBIDDEN']) },
    });
  });

  /** An item with two violations, and its result. */
  const invalidItem = itemAbout(one, ' ', { idempotencyKey: 'none' });
  const invalid = (index: number) => {
    const violation = (path: string[], rule: unknown) =>
      resultError('BAD_USER_INPUT', expect.any(String) as string, {
        inputPath: ['items', String(index), ...path],
        rule,
      });
    const violations = [
      violation(subjectPathOf(one).split('.'), expect.any(String)),
      violation(['idempotencyKey'], 'UUID'),
    ];
    return { outcome: 'NOT_APPLIED', evidence: 'NOT_SENT', errors: violations };
  };

  test.each([
    ['nothing if an item is invalid', {}, []],
    ['the valid items with SEND_OTHERS', { onInvalidItem: 'SEND_OTHERS' }, [0, 2]],
    ['nothing in a dry run', { dryRun: true }, []],
  ])('sends %s, and has all violations of each invalid item', async (_what, args, sent) => {
    const names = subjects(3);
    const [first, second, third] = itemsAbout(names) as [object, object, object];
    const items = [first, invalidItem, third, invalidItem, second];
    const valid = sent.length > 0 ? applied : failed(OTHER_INVALID);
    const { data, errors, calls } = await send(bulkOperation(many, items, args));
    expect(data).toEqual({
      [many]: {
        results: [valid, invalid(1), valid, invalid(3), valid],
        ...counts(5, sent.length > 0 ? 2 : 5),
      },
    });
    expect([errors, calls]).toEqual([
      undefined,
      sent.length > 0 ? names.map((name) => `${method} ${name}`) : [],
    ]);
  });

  test('rejects an item that is the same as an earlier one but for its key, and one with the key of an earlier one', async () => {
    const names = subjects(2);
    const key = '0198c0de-0000-4000-8000-000000000001';
    const [first = '', second = ''] = names;
    const items = [
      itemAbout(one, first, { idempotencyKey: key }),
      itemAbout(one, first),
      itemAbout(one, second, { idempotencyKey: key.toUpperCase() }),
    ];
    const unique = (message: string, inputPath: string[]) =>
      failed(resultError('BAD_USER_INPUT', message, { rule: 'UNIQUE', inputPath }));
    const { data, calls } = await send(bulkOperation(many, items));
    expect(data).toEqual({
      [many]: {
        results: [
          failed(OTHER_INVALID),
          unique('expected distinct items, got the same as the item with index 0', ['items', '1']),
          unique('expected a unique idempotency key, got the same as the item with index 0', [
            'items',
            '2',
            'idempotencyKey',
          ]),
        ],
        ...counts(3, 3),
      },
    });
    expect(calls).toEqual([]);
  });

  test('knows a key from the field for one, and the other way around', async () => {
    const [name = ''] = subjects(1);
    const idempotencyKey = crypto.randomUUID();
    const { query, variables } = asVariables(
      one,
      itemAbout(one, name) as Record<string, unknown>,
      '{ outcome evidence }',
    );
    const withKey = {
      query: query
        .replace('(', '($idempotencyKey: ID, ')
        .replace(`${one}(`, `${one}(idempotencyKey: $idempotencyKey, `),
      variables: { ...variables, idempotencyKey },
    };
    const single = await send(withKey);
    const items = [itemAbout(one, name, { idempotencyKey })];
    const bulk = await send(bulkOperation(many, items, { selection: 'results { outcome evidence }' }));
    expect(single.data).toEqual({ [one]: { outcome: 'APPLIED', evidence: 'RESPONSE' } });
    expect(bulk.data).toEqual({ [many]: { results: [{ outcome: 'APPLIED', evidence: 'REPLAY' }] } });
    const reads = replayCalls(one, name).map(() => `GET ${name}`);
    expect([single.calls, bulk.calls]).toEqual([[`${method} ${name}`], reads]);
  });

  test('has no results for no items', async () => {
    expect(await send(bulkOperation(many, []))).toMatchObject({
      data: { [many]: { results: [], ...counts(0, 0) } },
      errors: undefined,
      calls: [],
    });
  });
});
