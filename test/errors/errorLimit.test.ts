/** However much a client sends, and however much of it is wrong, the errors of the response are few and short. */
import { describe, expect, test } from 'vitest';
import { startGateway, useGateway } from '../support/gateway/gateway.js';
import { repeated } from '../support/graphql/creations.js';
import { post } from '../support/http/post.js';
import { asVariables, validArguments, type Operation } from '../support/graphql/rootFields.js';
import { forTest } from '../support/tools/useStarted.js';
const gateway = useGateway();

/** More than 100 errors that quote little, and than the trace of a response. */
const MAX_BYTES = 100_000;
const LONG = 'x'.repeat(200_000);
const MEDIUM = 'x'.repeat(2400);
const SHORTENED = `${'x'.repeat(100)}…`;
const listOf = <Element>(length: number, element: Element) => Array<Element>(length).fill(element);

type Request = Operation & { operationName?: string; extensions?: object };

async function send(body: Request, headers: Record<string, string> = {}, url = gateway.url) {
  const { text, data, errors = [], extensions } = await post(url, body, { headers });
  return { requestBytes: Buffer.byteLength(JSON.stringify(body)), text, data, errors, extensions };
}

function creation(overrides: object): Operation {
  const input = validArguments('createNotification')['input'] as object;
  return asVariables('createNotification', { input: { ...input, ...overrides } });
}

const emails = (values: unknown[]) => ({ recipient: { shipmentLevel: { emailList: values, smsList: [] } } });
const reads = (guid: unknown): Operation => ({
  query: `query ($g: ID!) { ${repeated(50, (index) => `a${index}: notification(notificationGuid: $g) { notificationGuid }`)} }`,
  variables: { g: guid },
});

describe('quotes at most 100 characters for', () => {
  test.each<[input: string, request: Request, message: string]>([
    [
      'a long key',
      creation({ [LONG]: 1 }),
      `Field "${SHORTENED}" is not defined by type "NotificationInput".`,
    ],
    [
      'long email addresses',
      creation(emails(listOf(100, MEDIUM))),
      `expected an email address of at most 254 characters, got "${'x'.repeat(99)}…`,
    ],
    [
      'large objects in place of strings',
      creation(emails(listOf(100, { [MEDIUM]: 1 }))),
      `Expected a string, got {"${'x'.repeat(98)}…`,
    ],
    [
      'a long identifier',
      reads(`${LONG}/`),
      `expected an identifier of at most 256 characters, got "${'x'.repeat(99)}…`,
    ],
    [
      'a long name of a variable',
      { query: `query ($${LONG}: ID!) { notification(notificationGuid: "a") @skip(if: true) { filters } }` },
      `Variable "$${'x'.repeat(99)}…" is never used.`,
    ],
    [
      'an unknown operation',
      { query: 'query A { __typename }', operationName: LONG },
      `Unknown operation named "${SHORTENED}".`,
    ],
    ['a long field', { query: `{ ${LONG} }` }, `Cannot query field "${SHORTENED}" on type "Query".`],
    [
      'a long literal of the wrong type',
      { query: `{ notification(notificationGuid: {a: "${LONG}"}) { filters } }` },
      `ID cannot represent a non-string and non-integer value: {a: "${SHORTENED}"}`,
    ],
    [
      'a long token in the wrong place',
      { query: `query ${LONG} ${LONG.slice(0, 50_000)}` },
      `Syntax Error: Expected "{", found Name "${SHORTENED}".`,
    ],
    [
      'conflicts between fields with long names',
      {
        query: `{ notifications { ${repeated(20, () => `${'x'.repeat(4000)}: messages`)} ${repeated(20, () => `${'x'.repeat(4000)}: totalPossibleCount`)} } }`,
      },
      `Fields "${SHORTENED}" conflict because "messages" and "totalPossibleCount" are different fields. Use different aliases on the fields to fetch both if this was intentional.`,
    ],
  ])('%s', async (_input, request, message) => {
    const { requestBytes, text, errors, extensions = {} } = await send(request);
    expect(errors[0]?.message).toBe(message);
    expect(errors.length).toBeLessThanOrEqual(101);
    expect(Buffer.byteLength(JSON.stringify(errors))).toBeLessThanOrEqual(MAX_BYTES);
    expect(Buffer.byteLength(text)).toBeLessThan(2 * requestBytes + MAX_BYTES);
    for (const each of errors) {
      expect(each.message).not.toContain('x'.repeat(101));
      expect(JSON.stringify(each.extensions['inputPath'] ?? [])).not.toContain('x'.repeat(101));
    }
    expect(extensions).toEqual({});
    expect(gateway.takeCalls()).toEqual([]);
  });

  test('a long response key of many errors, whose path has its first 1,000 characters', async () => {
    const query = `query ($g: [ID!]!) { ${LONG}: notificationsByGuid(notificationGuids: $g) { notificationGuid } }`;
    const { errors } = await send({ query, variables: { g: listOf(100, '..') } });
    expect(errors.length).toBe(100);
    expect(new Set(errors.map(({ path }) => path?.join('.')))).toEqual(new Set([`${'x'.repeat(1000)}…`]));
  });

  test('a field that is selected in many places, with its first 10 locations', async () => {
    const query = `{ ${repeated(100, () => 'notification(notificationGuid: "..") { filters }')} }`;
    const { errors } = await send({ query });
    expect(errors.map(({ locations }) => locations?.length)).toEqual([10]);
  });

  test('a character outside of the Basic Multilingual Plane at the end of a quote', async () => {
    const { errors } = await send(creation(emails([`${'x'.repeat(98)}🚚🚚`])));
    expect(errors.map(({ message }) => message)).toEqual([
      `expected an email address, got "${'x'.repeat(98)}🚚…`,
    ]);
  });
});

describe('lists 100 errors, and then how many more there are:', () => {
  const { query } = creation({});
  const omission = (count: number, outcome?: string) => ({
    message: `Expected at most 100 errors, got ${count} more`,
    extensions: {
      code: 'QUERY_TOO_COMPLEX',
      ...(outcome && { outcome }),
      retryable: false,
      requestId: expect.any(String) as string,
    },
  });

  test.each([
    ['violations of a rule', 'dock', 99, []],
    ['violations of a rule', 'dock', 100, []],
    ['violations of a rule', 'dock', 101, [omission(1, 'NOT_APPLIED')]],
    ['values of the wrong type', 5, 100, []],
    ['values of the wrong type', 5, 101, [omission(1, 'NOT_APPLIED')]],
  ])('%s (%j), %d times', async (_what, value, count, more) => {
    const { errors, extensions } = await send(creation(emails(listOf(count, value))));
    expect(errors.length).toBe(Math.min(count, 100) + more.length);
    expect([errors.slice(100), extensions]).toEqual([more, undefined]);
  });

  test('the first of each failed field of a mutation is there, however many errors precede it', async () => {
    const input = (creation(emails(listOf(100, 'dock'))).variables ?? {})['input'];
    const mutation = query
      .replace('createNotification', 'a: createNotification')
      .replace(
        /\}\s*$/,
        '  b: deleteNotification(notificationGuid: "..") { messages } c: createNotification(input: $input) { messages } }',
      );
    const { errors, data } = await send({ query: mutation, variables: { input } });
    expect(data).toEqual({ a: null, b: null, c: null });
    expect(errors.map(({ path }) => path?.[0])).toEqual([...listOf(98, 'a'), 'b', 'c', undefined]);
    expect(errors.at(-1)).toEqual(omission(101, 'NOT_APPLIED'));
    expect(new Set(errors.map(({ extensions: { outcome } }) => outcome))).toEqual(new Set(['NOT_APPLIED']));
  });
});

test('the REST calls of a query are listed as long as there is room', async () => {
  const development = await forTest(startGateway({ env: { NODE_ENV: 'development' } }));
  const trace = async (guids: readonly string[]) => {
    const query =
      'query ($guids: [ID!]!) { notificationsByGuid(notificationGuids: $guids) { notificationGuid } }';
    const request = { query, variables: { guids } };
    const { errors, extensions } = await send(request, { 'x-gateway-trace': '1' }, development.url);
    development.takeCalls();
    const received = extensions as { trace: { curl?: string }[]; traceTruncated?: boolean };
    expect(errors).toEqual([]);
    return received;
  };
  const few = await trace(['a', 'b']);
  expect(few).toEqual({ trace: few.trace });
  expect(few.trace.map(({ curl }) => typeof curl)).toEqual(['string', 'string']);

  const many = await trace(Array.from({ length: 100 }, (_, index) => `${index}${'é'.repeat(250)}`));
  expect(many.traceTruncated).toBe(true);
  expect(many.trace.every(({ curl }) => curl !== undefined)).toBe(true);
  expect(many.trace.length).toBeGreaterThan(20);
  expect(many.trace.length).toBeLessThan(100);
  // Each call counts with the comma after it. No further one fits.
  const room = 65_536 - (JSON.stringify(many.trace).length - 1);
  expect(room).toBeGreaterThanOrEqual(0);
  expect(room).toBeLessThan(JSON.stringify(many.trace.at(-1)).length + 20);
});
