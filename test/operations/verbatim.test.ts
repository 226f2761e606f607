import { describe, expect, test } from 'vitest';
import { sampleDefinition } from '../support/graphql/sampleDefinition.js';
import { CREATE, LIST, READ, UPDATE } from '../support/graphql/documents.js';
import { oneNotification } from '../support/service/examples.js';
import { asciiJson } from '../support/tools/asciiJson.js';
import { useGateway } from '../support/gateway/gateway.js';
import { expectedNotification } from '../support/service/expectedNotification.js';

const { input, request } = sampleDefinition;
const stopLevel = oneNotification('stopLevel');
/** With what `input` sends. */
const notification = {
  ...stopLevel.notification,
  ...request,
  notificationTypes: [...request.notificationTypes],
  filters: [] as unknown[],
};
const envelope = { ...stopLevel.envelope, data: [notification] };
const guid = notification.notificationGuid;

/** JSON of every shape except null. Compared as text, because object equality ignores key order and `__proto__`. */
const texts = [
  'false',
  '0',
  '""',
  '[]',
  '{}',
  '[-1.5,1e-7,1e+21,9007199254740991,0.1]',
  '"\\u0000 \\ud83d\\ude9a 東京 <b> & \\"quoted\\" \\\\ \\u2028"',
  '[[[[null]],[true,false]]]',
  '{"a":{"b":[{"c":null}]},"":0,"with space":"x","data":[],"errors":[]}',
  '{"constructor":"c","toString":"t","hasOwnProperty":{"prototype":{}}}',
  '{"__proto__":{"x":[1]}}',
];
const values = texts.map((text) => JSON.parse(text) as unknown);
const canonical = `[${values.map((value) => JSON.stringify(value)).join(',')}]`;
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

describe('JSON is preserved verbatim', () => {
  test('in the filters and the metadata of a response', async () => {
    const record = { ...notification, filters: values, notificationMetaData: values };
    const read = await executeWithResponse(READ, { guid }, { data: [record] });
    expect(JSON.stringify([read['filters'], read['notificationMetaData']])).toBe(
      `[${canonical},${canonical}]`,
    );
  });

  test.each([
    ['createNotification', CREATE, { input }, {}],
    ['updateNotification', UPDATE, { guid, input }, {}],
    ['notifications', LIST, {}, {}],
  ])('in a message of %s', async (_field, document, variables, others) => {
    const { messages } = await executeWithResponse(document, variables, { ...others, messages: values });
    expect(JSON.stringify(messages)).toBe(canonical);
  });

  test('in a filter of a request', async () => {
    gateway.takeCalls();
    await gateway.execute(CREATE, { variables: { input: { ...input, filters: values } } });
    const [call] = gateway.takeCalls();
    expect(call?.body).toContain(asciiJson(`"filters":${canonical}`));
  });
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
  const variables = { guid, input: { ...input, filters: queried.filters } };
  expect(
    await executeWithResponse(UPDATE, variables, { data: [record], messages: returned.messages }),
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
