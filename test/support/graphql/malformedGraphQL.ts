/** Requests that are valid HTTP, but not executable GraphQL over HTTP. */
import { each, get, post, type NamedRequest } from '../http/malformedHttp.js';

// oxfmt-ignore
export const malformedGraphQL: readonly NamedRequest[] = [
  ...each('JSON', [
    '{', '}', '[', '[]', '{}', '[{}]', 'null', 'true', '1', '"text"', "{'query':1}", '{"query":"{a}"', '{"query":"{a}"}}', '{"query":"\\u12"}',
    '{"query":"\n"}', 'NaN', '1e999', '\ufeff{}', 'undefined', '{"query":"{a}",}', '/**/{}',
    '['.repeat(100_000), `{"query":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, `{"extensions":${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}}`,
  ], post),
  ['bytes that are no UTF-8', post(Buffer.from('{"query":"\xff\xfe\xc3"}', 'latin1'))],
  ['lone surrogates', post('{"query":"{ \\ud800 }","operationName":"\\udc00"}')],
  ...each('query as', ['1', 'true', '[]', '{}', '{"kind":"Document"}', '["{a}"]', '""', 'null'], (value) => post(`{"query":${value}}`)),
  ...['variables', 'extensions'].flatMap((name) =>
    each(name, ['1', 'true', '[]', '"{}"', '"text"'], (value) => post(`{"query":"{ color }","${name}":${value}}`)),
  ),
  ...each('operationName', ['1', 'true', '[]', '{}', '"B"', '"__proto__"'], (value) => post(`{"query":"query A { __typename }","operationName":${value}}`)),
  ...each('names of prototypes', [
    '{"__proto__":{"query":"{ notifications { messages } }"}}',
    '{"constructor":{"prototype":{"query":"{ notifications { messages } }"}}}',
    '{"query":"query ($a: Int!) { notifications { messages } }","variables":{"__proto__":{"a":1}}}',
  ], post),
  ...each('persistedQuery', ['1', '{}', '{"version":1}', '{"version":1,"sha256Hash":[]}', '{"version":"1","sha256Hash":"a"}'], (value) => post(`{"extensions":{"persistedQuery":${value}}}`)),
  ...each('query', [
    '{', 'color', '{ color }', '{ a: }', 'query', 'subscription { a }', 'subscription { __typename }', '{ ...F }', 'fragment F on Query { __typename }',
    'type A { a: Int }', '{ notification(', '"""', '{ a(b: "\\ud800") }', '\u0007', 'query A { __typename } query A { __typename }',
    'query A { __typename } query B { __typename }', '{ __proto__ }', '{ constructor }', 'mutation { toString }', '{ notifications }', 'mutation { __schema { types { name } } }',
  ], (query) => post(JSON.stringify({ query }))),
  ...each('search', [
    '', '?', '?query', '?query=', '?query={', '?query=%', '?query=%ff', '?query={__typename}&query={__typename}', '?query={__typename}&variables={',
    '?query={__typename}&variables=1', '?query={__typename}&extensions=[]', '?query=mutation{deleteNotification(notificationGuid:%22a%22){messages}}',
    '?query=subscription{a}', '?variables={}', '?__proto__=1', '?query[]={__typename}',
  ], get),
];
