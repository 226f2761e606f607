import { describe, expect, test } from 'vitest';
import { contract } from './contract.js';
import { requestExample } from './examples.js';
import { contractViolations, type RecordedCall } from './openapi.js';

const json = { 'content-type': 'application/json' };
const bearer = { authorization: 'Bearer abc.DEF-123_~+/==' };
const notification = requestExample('createNotification', 'shipmentLevel');
const creation = call('POST', '/v1/customnotifications', notification, { ...json, ...bearer });
const reading = call(
  'GET',
  '/v1/customnotifications/3f0a7c1e-2b64-4e7f-9a55-0c8d1e2f3a01',
  undefined,
  bearer,
);

// It accepts every other REST call of the tests.
describe('contractViolations reports', () => {
  const paths = Object.keys(contract.paths).join(' ');

  test.each<[string, RecordedCall, violation: string]>([
    ['an unknown path', { ...reading, path: '/v2/x' }, `path: expected one of ${paths}, got /v2/x`],
    [
      'an encoded dot segment',
      { ...reading, path: '/v1/customnotifications/%2e' },
      'path: notificationGuid is the dot segment %2e',
    ],
    [
      'raw characters in a segment',
      { ...reading, path: '/v1/customnotifications/a"b' },
      'path: notificationGuid has raw characters: a"b',
    ],
    ['an unknown method', { ...creation, method: 'PATCH' }, 'method: /v1/customnotifications has no PATCH'],
    ['an undocumented query', { ...reading, query: 'x=1' }, 'query: expected none, got x=1'],
    ['no token', { ...reading, headers: {} }, 'authorization: expected one bearer token, got none'],
    ['no body', { ...creation, body: '' }, 'body: expected JSON, got none'],
    ['a body that is not JSON', { ...creation, body: '{' }, 'body: expected JSON, got something else'],
    ['a body where none is documented', { ...reading, body: '{}' }, 'body: expected none, got 2 characters'],
    [
      'an undocumented field',
      call('POST', creation.path, { ...notification, color: 'red' }, creation.headers),
      'body: must NOT have unevaluated properties {"unevaluatedProperty":"color"}',
    ],
  ])('%s', (_name, request, violation) => {
    expect(contractViolations(request)).toEqual([violation]);
  });

  test('all violations of a request', () => {
    const request = call(
      'POST',
      creation.path,
      { ...notification, emailList: undefined, smsList: ['call me'] },
      {},
    );
    expect(contractViolations(request)).toEqual([
      'authorization: expected one bearer token, got none',
      'content-type: expected application/json, got undefined',
      'body: must have required property \'emailList\' {"missingProperty":"emailList"}',
      'body: must match "then" schema {"failingKeyword":"then"}',
      'body: /smsList/0 must match pattern "^\\+?[0-9]{7,15}$" {"pattern":"^\\\\+?[0-9]{7,15}$"}',
    ]);
  });
});

function call(method: string, path: string, body: unknown, headers: RecordedCall['headers']): RecordedCall {
  return { method, path, query: '', headers, body: body === undefined ? '' : JSON.stringify(body) };
}
