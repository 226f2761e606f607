/** A request has the same response, REST calls and log line through Apollo Server, which gets a document first, and past it. */
import { expect, test } from 'vitest';
import { useGateway } from '../support/gateway/gateway.js';
import { NOTIFICATION_FIELDS } from '../support/graphql/documents.js';
import {
  asLiterals,
  asVariables,
  fieldNames,
  isMutation,
  SEED_GUID,
  validArguments,
} from '../support/graphql/rootFields.js';
import { post } from '../support/http/post.js';
import { until } from '../support/tools/waiting.js';

// One connection to the service and no retries, so that REST calls arrive in a fixed order.
const gateway = useGateway({ env: { SERVICE_CONNECTIONS: '1' }, config: { service: { retries: 0 } } });

/** What the client, the service and an operator see of a request, without times. */
async function observe(body: object | string, headers: Record<string, string>) {
  gateway.takeCalls();
  gateway.logLines.length = 0;
  const response = await post(gateway.url, body, { headers: { 'x-request-id': 'the-request', ...headers } });
  await until(() => gateway.logLines.some(({ msg }) => msg === 'Request'), 1);
  const { date: _date, ...ofResponse } = Object.fromEntries(response.headers);
  return {
    status: response.status,
    headers: ofResponse,
    text: response.text,
    calls: gateway.takeCalls().map(({ method, path, query, body: sent }) => [method, path, query, sent]),
    log: gateway.logLines.map(({ time: _time, durationMs: _durationMs, ...line }) => line),
  };
}

let documents = 0;
/** Sends a request under a text that is new to the gateway, and again once the operation is cached. */
async function expectSame(body: unknown, headers: Record<string, string> = {}) {
  const { query } = (typeof body === 'object' && body !== null ? body : {}) as { query?: unknown };
  documents += 1;
  const isDocument = typeof query === 'string';
  const sent = isDocument ? { ...(body as object), query: `${query} #${documents}` } : JSON.stringify(body);
  const first = await observe(sent, headers);
  // An operation that is not found is cached, and not executed.
  if (isDocument) await post(gateway.url, { ...(sent as object), operationName: 'unknown' });
  expect(await observe(sent, headers)).toEqual(first);
  return first;
}

const READ = 'query ($guid: ID!) { notification(notificationGuid: $guid)';
const WRITE = 'mutation ($guid: ID!) { deleteNotification(notificationGuid: $guid)';
const variables = { guid: SEED_GUID };
const read = { query: `${READ} { notificationName } }`, variables };

test.each(fieldNames)('the root field %s, with variables and with literals', async (field) => {
  for (const asOperation of [asVariables, asLiterals]) {
    if (isMutation(field)) gateway.injectFault({ status: 204 });
    const { status, text, calls } = await expectSame(asOperation(field, validArguments(field)));
    gateway.injectFault(undefined);
    expect([status, text.includes('"errors"'), calls.length > 0]).toEqual([200, false, true]);
  }
});

const list = (selection: string) =>
  `query ($p: JSONObject) { notifications(additionalParameters: $p) ${selection} }`;
const SEVERAL = `query A { __typename } ${READ.replace('query', 'query B')} { filters } }`;

test.each<[feature: string, query: string, others?: object]>([
  ['all fields', `${READ} { ${NOTIFICATION_FIELDS} } }`],
  ['an operation name', `query Read${READ.slice(5)} { notificationName } }`],
  ['aliases', `${READ.replace('notif', 'it: notif')} { a: notificationName recipient { c: __typename } } }`],
  [
    'fragments',
    `${READ} { ...A ... { filters } } } fragment A on Notification { recipient { ... on StopLevelRecipient { notifyStopContactsBySms } } }`,
  ],
  [
    'a repeated field',
    `${READ} { recipient { __typename } filters recipient { notificationRecipientType } } }`,
  ],
  ['a number for an ID', `${READ} { filters } }`, { variables: { guid: 5 } }],
  ['additional variables', `${READ} { filters } }`, { variables: { ...variables, ['__proto__']: 6 } }],
  ['null for a nullable variable', list('{ messages }'), { variables: { p: null } }],
  ['a default value', `${READ.replace('ID!', `ID! = "${SEED_GUID}"`)} { filters } }`, {}],
  [
    'variables in literals',
    'query ($v: JSON) { notifications(additionalParameters: { a: $v, b: [$v] }) { messages } }',
    { variables: { v: '5' } },
  ],
  [
    'conditions',
    `${READ.replace('ID!', 'ID!, $if: Boolean!, $no: Boolean = false')} { filters @skip(if: $if) id @include(if: $no) notificationName } }`,
    { variables: { ...variables, if: true } },
  ],
  ['one of several operations by name', SEVERAL, { operationName: 'B', variables }],
  [
    'several reads',
    `${READ} { filters } b: notification(notificationGuid: "x") { filters } notifications { totalPossibleCount } }`,
  ],
  [
    'several writes',
    `${WRITE} { messages } b: deleteNotification(notificationGuid: "unknown") { messages } c: __typename }`,
    { variables: { guid: 'unknown-2' } },
  ],
  [
    'names found on Object.prototype',
    `${READ} { __proto__: notificationName constructor: filters hasOwnProperty: recipient { valueOf: __typename } } }`,
  ],
])('%s', async (_feature, query, others = { variables }) => {
  expect((await expectSame({ query, ...others })).text).toContain('"data"');
});

// prettier-ignore
test.each([
  '*/*', 'application/*', 'application/json; charset=utf-8', 'APPLICATION/JSON', 'text/html, application/json;q=0.1', '',
  'application/graphql-response+json', 'application/json;q=0, */*', 'application/json; callbackSpec=1.0',
  // @defer, and subscriptions as Apollo Client's helper for Relay sends them
  'multipart/mixed;deferSpec=20220824,application/json',
  'multipart/mixed;boundary="graphql";subscriptionSpec=1.0,application/json',
  // Apollo Client: with both formats of @defer, and subscriptions
  'multipart/mixed;deferSpec=20220824,application/graphql-response+json,application/json;q=0.9',
  'multipart/mixed;incrementalSpec=v0.2,application/graphql-response+json,application/json;q=0.9',
  'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/graphql-response+json,application/json;q=0.9',
  // urql
  'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
  // with a charset, and with quality values and a quoted boundary
  'application/graphql-response+json; charset=utf-8, application/json; charset=utf-8', 'application/json;q=1.0,multipart/mixed;boundary="-";q=0.5',
])('the header Accept: %j is accepted', async (accept) => {
  expect(await expectSame(read, { accept })).toMatchObject({ status: 200, calls: [expect.anything()] });
});
