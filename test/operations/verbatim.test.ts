import { describe, expect, test } from 'vitest';
import { sampleDefinition } from '../support/graphql/sampleDefinition.js';
import { CREATE, DELETE, LIST, READ, UPDATE } from '../support/graphql/documents.js';
import { oneNotification } from '../support/service/examples.js';
import { useGateway } from '../support/gateway/gateway.js';
import { expectedNotification } from '../support/service/expectedNotification.js';

const { notification, envelope } = oneNotification('stopLevel');
const guid = notification.notificationGuid;
const { input } = sampleDefinition;

/** JSON of every shape except null. Compared as text, because object equality ignores key order and `__proto__`. */
const values: [string, string][] = [
  ['false', 'false'],
  ['zero', '0'],
  ['an empty string', '""'],
  ['an empty array', '[]'],
  ['an empty object', '{}'],
  ['numbers', '[-1.5,1e-7,1e+21,9007199254740991,0.1]'],
  ['strings', '"\\u0000 \\ud83d\\ude9a 東京 <b> & \\"quoted\\" \\\\ \\u2028"'],
  ['nested arrays', '[[[[null]],[true,false]]]'],
  ['nested objects', '{"a":{"b":[{"c":null}]},"":0,"with space":"x","data":[],"errors":[]}'],
  ['names found on Object.prototype', '{"constructor":"c","toString":"t","hasOwnProperty":{"prototype":{}}}'],
];
const gateway = useGateway();

/** The root field's value for a response whose envelope has these members. */
async function executeWithResponse(
  document: string,
  variables: object,
  members: object,
): Promise<Record<string, unknown>> {
  gateway.injectFaults({ body: JSON.stringify({ ...envelope, ...members }) });
  const data = (await gateway.data(document, { variables: { ...variables } })) as Record<
    string,
    Record<string, unknown>
  >;
  return Object.values(data)[0] ?? {};
}

describe.each(values)('JSON is preserved verbatim: %s', (_shape, json) => {
  const value: unknown = JSON.parse(json);
  const canonical = JSON.stringify(value);

  test('in the filters and the metadata of a response', async () => {
    const record = { ...notification, filters: [value, value], notificationMetaData: value };
    const read = await executeWithResponse(READ, { guid }, { data: [record] });
    expect(JSON.stringify([read['filters'], read['notificationMetaData']])).toBe(
      `[[${canonical},${canonical}],${canonical}]`,
    );
  });

  test.each([
    ['createNotification', CREATE, { input }],
    ['updateNotification', UPDATE, { guid, input }],
    ['deleteNotification', DELETE, { guid }],
    ['notifications', LIST, {}],
  ])('in a message of %s', async (_field, document, variables) => {
    const { messages } = await executeWithResponse(document, variables, { messages: [value, 'and more'] });
    expect(JSON.stringify(messages)).toBe(`[${canonical},"and more"]`);
  });

  test('in a filter of a request', async () => {
    gateway.takeCalls();
    await gateway.data(CREATE, { variables: { input: { ...input, filters: [value, 'and more'] } } });
    const [call] = gateway.takeCalls();
    const { filters } = JSON.parse(call?.body ?? '') as { filters: unknown };
    expect(JSON.stringify(filters)).toBe(`[${canonical},"and more"]`);
  });
});

const prototypeName = '{"__proto__":{"x":[1]}}';

test('preserves a filter with the key __proto__ in a response', async () => {
  const record = { ...notification, filters: [JSON.parse(prototypeName) as unknown] };
  const { filters } = await executeWithResponse(READ, { guid }, { data: [record] });
  expect(JSON.stringify(filters)).toBe(`[${prototypeName}]`);
});

test('preserves a filter with the key __proto__ in a request', async () => {
  const filters = [JSON.parse(prototypeName) as unknown];
  gateway.takeCalls();
  await gateway.execute(CREATE, { variables: { input: { ...input, filters } } });
  expect(gateway.takeCalls().map(({ body }) => body)).toEqual([
    expect.stringContaining(`"filters":[${prototypeName}]`),
  ]);
});

test.each([
  [
    'null elements',
    { filters: [null, 1, null], messages: [null, 'one'] },
    { filters: [1], messages: ['one'] },
  ],
  ['null lists', { filters: null, messages: null }, { filters: [], messages: [] }],
  ['missing lists', { filters: undefined, messages: undefined }, { filters: [], messages: [] }],
])('omits filters and messages that are null: %s', async (_content, returned, queried) => {
  const record = { ...notification, filters: returned.filters };
  expect(
    await executeWithResponse(UPDATE, { guid, input }, { data: [record], messages: returned.messages }),
  ).toEqual({
    notification: { ...expectedNotification(notification), filters: queried.filters },
    messages: queried.messages,
  });
});

test('omits undocumented response fields', async () => {
  const record = { ...notification, color: 'red', recipient: 'x', notifications: [] };
  expect(
    await executeWithResponse(READ, { guid }, { data: [record], nextPage: 2, errors: ['none'] }),
  ).toEqual(expectedNotification(notification));
});
