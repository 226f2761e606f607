import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleDefinition } from '../support/graphql/sampleDefinition.js';
import { CREATE, DELETE, LIST, READ, UPDATE } from '../support/graphql/documents.js';
import { oneNotification } from '../support/service/examples.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { expectedNotification } from '../support/service/expectedNotification.js';

const { notification, envelope } = oneNotification('stopLevel');
const guid = notification.notificationGuid;
const { input } = sampleDefinition;

/** JSON of any shape but null. It is compared as text, which shows more than a comparison of objects. */
const values: [string, string][] = [
  ['false', 'false'],
  ['zero', '0'],
  ['an empty string', '""'],
  ['an empty list', '[]'],
  ['an empty object', '{}'],
  ['numbers', '[-1.5,1e-7,1e+21,9007199254740991,0.1]'],
  ['text', '"\\u0000 \\ud83d\\ude9a 東京 <b> & \\"quoted\\" \\\\ \\u2028"'],
  ['nested lists', '[[[[null]],[true,false]]]'],
  ['nested objects', '{"a":{"b":[{"c":null}]},"":0,"with space":"x","data":[],"errors":[]}'],
  ['names that JavaScript knows', '{"constructor":"c","toString":"t","hasOwnProperty":{"prototype":{}}}'],
];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

/** What the root field gives when the service answers with this in its envelope. */
async function answered(
  document: string,
  variables: object,
  answer: object,
): Promise<Record<string, unknown>> {
  gateway.injectFaults({ body: JSON.stringify({ ...envelope, ...answer }) });
  const data = (await gateway.data(document, { variables: { ...variables } })) as Record<
    string,
    Record<string, unknown>
  >;
  return Object.values(data)[0] ?? {};
}

describe.each(values)('JSON of any shape is kept as it is: %s', (_name, json) => {
  const value: unknown = JSON.parse(json);
  const canonical = JSON.stringify(value);

  test('as a filter and as metadata that the service gives', async () => {
    const record = { ...notification, filters: [value, value], notificationMetaData: value };
    const read = await answered(READ, { guid }, { data: [record] });
    expect(JSON.stringify([read['filters'], read['notificationMetaData']])).toBe(
      `[[${canonical},${canonical}],${canonical}]`,
    );
  });

  test.each([
    ['createNotification', CREATE, { input }],
    ['updateNotification', UPDATE, { guid, input }],
    ['deleteNotification', DELETE, { guid }],
    ['notifications', LIST, {}],
  ])('as a message of %s', async (_field, document, variables) => {
    const { messages } = await answered(document, variables, { messages: [value, 'and more'] });
    expect(JSON.stringify(messages)).toBe(`[${canonical},"and more"]`);
  });

  test('as a filter that a caller gives', async () => {
    gateway.takeCalls();
    await gateway.data(CREATE, { variables: { input: { ...input, filters: [value, 'and more'] } } });
    const [call] = gateway.takeCalls();
    const { filters } = JSON.parse(call?.body ?? '') as { filters: unknown };
    expect(JSON.stringify(filters)).toBe(`[${canonical},"and more"]`);
  });
});

const prototypeName = '{"__proto__":{"x":[1]}}';

test("A filter named as an object's prototype is kept in an answer", async () => {
  const record = { ...notification, filters: [JSON.parse(prototypeName) as unknown] };
  const { filters } = await answered(READ, { guid }, { data: [record] });
  expect(JSON.stringify(filters)).toBe(`[${prototypeName}]`);
});

test("A filter named as an object's prototype is kept in a request", async () => {
  const filters = [JSON.parse(prototypeName) as unknown];
  gateway.takeCalls();
  await gateway.execute(CREATE, { variables: { input: { ...input, filters } } });
  expect(gateway.takeCalls().map(({ body }) => body)).toEqual([
    expect.stringContaining(`"filters":[${prototypeName}]`),
  ]);
});

test.each([
  ['null', { filters: [null, 1, null], messages: [null, 'one'] }, { filters: [1], messages: ['one'] }],
  ['null lists', { filters: null, messages: null }, { filters: [], messages: [] }],
  ['missing lists', { filters: undefined, messages: undefined }, { filters: [], messages: [] }],
])('What is null among filters and messages is left out: %s', async (_name, given, seen) => {
  const record = { ...notification, filters: given.filters };
  expect(await answered(UPDATE, { guid, input }, { data: [record], messages: given.messages })).toEqual({
    notification: { ...expectedNotification(notification), filters: seen.filters },
    messages: seen.messages,
  });
});

test('Further fields of an answer are left out', async () => {
  const record = { ...notification, colour: 'red', recipient: 'x', notifications: [] };
  expect(await answered(READ, { guid }, { data: [record], nextPage: 2, errors: ['none'] })).toEqual(
    expectedNotification(notification),
  );
});
