import { describe, expect, test } from 'vitest';
import { contractViolations, type RecordedCall } from './openapi.js';

const json = { 'content-type': 'application/json' };
const bearer = { authorization: 'Bearer abc.DEF-123_~+/==' };
const guid = '3f0a7c1e-2b64-4e7f-9a55-0c8d1e2f3a01';
const notification = {
  notificationName: 'Dock team',
  notificationRecipientType: 'shipmentLevel',
  notificationTypeLabel: 'shipmentStatusChange',
  notificationTypes: ['ShipmentStatusDelivered'],
  emailList: ['dock@example.com'],
  smsList: ['+13035550100'],
};
const shipment = {
  FreightProviderReferenceNumber: 'REF-1001',
  PortalLicensePlate: 'PLATE-3001',
  CarrierMC: '900001',
};

const creation = call('POST', '/v1/customnotifications', notification, { ...json, ...bearer });
const reading = call('GET', `/v1/customnotifications/${guid}`, undefined, bearer);
const tracking = call(
  'POST',
  '/atlas/frexapi/shipment/track/',
  { ...shipment, DriverPhoneNumber: '+13035550110', ShipmentTrackingType: 'Mobile' },
  json,
);
const deletion = call(
  'DELETE',
  '/atlas/frexapi/shipment/exception',
  { ...shipment, ExceptionGuid: guid },
  json,
);

// It accepts every other REST call of the tests.
describe('contractViolations reports', () => {
  const paths =
    '/v1/customnotifications /v1/customnotifications/{notificationGuid} /atlas/frexapi/shipment/track/ /atlas/frexapi/shipment/exception';

  test.each<[string, RecordedCall, string[]]>([
    ['an unknown path', { ...reading, path: '/v2/x' }, [`path: expected one of ${paths}, got /v2/x`]],
    [
      'a missing trailing slash',
      { ...tracking, path: '/atlas/frexapi/shipment/track' },
      [`path: expected one of ${paths}, got /atlas/frexapi/shipment/track`],
    ],
    [
      'a parameter with two segments',
      { ...reading, path: '/v1/customnotifications/a/b' },
      [`path: expected one of ${paths}, got /v1/customnotifications/a/b`],
    ],
    [
      'a dot segment',
      { ...reading, path: '/v1/customnotifications/..' },
      ['path: notificationGuid is the dot segment ..'],
    ],
    [
      'an encoded dot segment',
      { ...reading, path: '/v1/customnotifications/%2e' },
      ['path: notificationGuid is the dot segment %2e'],
    ],
    [
      'a broken percent-encoding',
      { ...reading, path: '/v1/customnotifications/%zz' },
      ['path: notificationGuid is not percent-encoded: %zz'],
    ],
    [
      'raw characters in a segment',
      { ...reading, path: '/v1/customnotifications/a"b' },
      ['path: notificationGuid has raw characters: a"b'],
    ],
    [
      'an empty parameter',
      { ...reading, path: '/v1/customnotifications/' },
      ['path: notificationGuid must NOT have fewer than 1 characters {"limit":1}'],
    ],
    ['an unknown method', { ...creation, method: 'PATCH' }, ['method: /v1/customnotifications has no PATCH']],
    ['an undocumented query', { ...reading, query: 'x=1' }, ['query: expected none, got x=1']],
    ['no token', { ...reading, headers: {} }, ['authorization: expected one bearer token, got none']],
    [
      'a token with a space',
      { ...reading, headers: { authorization: 'Bearer a b' } },
      ['authorization: expected one bearer token, got something else'],
    ],
    [
      'another scheme',
      { ...reading, headers: { authorization: 'Basic YWJj' } },
      ['authorization: expected one bearer token, got something else'],
    ],
    ['no body', { ...creation, body: '' }, ['body: expected JSON, got none']],
    ['a body that is not JSON', { ...creation, body: '{' }, ['body: expected JSON, got something else']],
    [
      'a body without a content type',
      { ...creation, headers: bearer },
      ['content-type: expected application/json, got undefined'],
    ],
    [
      'a body of another content type',
      { ...creation, headers: { ...bearer, 'content-type': 'application/jsonp' } },
      ['content-type: expected application/json, got application/jsonp'],
    ],
    [
      'a body where none is documented',
      { ...reading, body: '{}', headers: { ...bearer, ...json } },
      [
        'body: expected none, got 2 characters',
        'content-type: expected none where there is no body, got application/json',
      ],
    ],
    [
      'an undocumented field',
      call('POST', creation.path, { ...notification, color: 'red' }, creation.headers),
      ['body: must NOT have unevaluated properties {"unevaluatedProperty":"color"}'],
    ],
    [
      'an update without its identifier',
      call('PUT', reading.path, notification, creation.headers),
      ['body: must have required property \'notificationGuid\' {"missingProperty":"notificationGuid"}'],
    ],
    [
      'two carriers',
      call('POST', tracking.path, { ...(JSON.parse(tracking.body) as object), CarrierDOT: '8000001' }, json),
      ['body: must match exactly one schema in oneOf {"passingSchemas":[0,1]}'],
    ],
    [
      'an exception together with a file',
      call('DELETE', deletion.path, { ...shipment, ExceptionGuid: guid, ExceptionFileGuid: guid }, json),
      ['body: must match exactly one schema in oneOf {"passingSchemas":[0,1]}'],
    ],
  ])('%s', (_name, request, violations) => {
    expect(contractViolations(request)).toEqual(violations);
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
