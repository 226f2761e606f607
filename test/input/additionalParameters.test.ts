import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { executeAndRecord, refusedField } from '../support/gateway/executeAndRecord.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { describeValidation, type Row } from '../support/graphql/validationTables.js';
import { withInvalidValue, asLiterals, asVariables } from '../support/graphql/rootFields.js';

let gateway: TestGateway;
/** Its tracking and exception parameters stand in the query. */
let queryGateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    env: {
      SHIPMENT_PARAMETERS: '{"ApiKey":"a-secret","siteId":7}',
      LICENSE_PLATE_PARAMETER: 'AcmeLicensePlate',
    },
  });
  queryGateway = await startGateway({
    env: { TRACKING_PARAMETERS_IN: 'query', EXCEPTION_PARAMETERS_IN: 'query' },
  });
});
afterAll(async () => {
  await gateway.stop();
  await queryGateway.stop();
});

const IN_INPUT = 'input.additionalParameters';
const documented = [
  'FreightProviderReferenceNumber',
  'FreightHaulerProviderXID',
  'PortalLicensePlate',
  'CarrierMC',
  'CarrierDOT',
  'CarrierSCAC',
  'DriverPhoneNumber',
  'ShipmentTrackingType',
  'ExceptionGuid',
  'ExceptionFileGuid',
];
const configured = ['AcmeLicensePlate', 'ApiKey', 'siteId'];
const ofPrototypes = ['constructor', 'prototype'];

const inEachCase = (name: string) => [...new Set([name, name.toLowerCase(), name.toUpperCase()])];
const taken = (place: string, name: string): Row => [
  place,
  { [name]: 'x' },
  'expected a name that no documented or fixed parameter has',
  `${place}.${name}`,
];
const nameless = (place: string): Row => [
  place,
  { '': 'x' },
  'expected a parameter with a name',
  `${place}.`,
];
const noObject = (place: string): Row[] =>
  ['text', 5, true, 'text,5'].map((shown) => [
    place,
    shown === 'text,5' ? ['text', 5] : shown,
    `JSONObject cannot represent non-object value: ${shown}`,
  ]);
const noScalar = (place: string, value: unknown): Row => [
  place,
  { a: 'fits', b: value },
  `expected a string, a number, a boolean or a list of these, got ${JSON.stringify(value)}`,
  `${place}.b`,
];
const nested = (place: string) =>
  [null, {}, { c: 1 }, [null], [[]], ['fits', { c: 1 }]].map((value) => noScalar(place, value));
const brokenUnicode = (place: string) => ['\ud800', ['\udc00']].map((value) => noScalar(place, value));

describe('where they stand in the body,', () => {
  const refusals = {
    rules: [...documented, ...configured, ...ofPrototypes, '__Proto__']
      .flatMap(inEachCase)
      .filter((name) => name !== '__proto__')
      .map((name) => taken(IN_INPUT, name)),
    rulesOfVariables: [nameless(IN_INPUT)],
    coercionErrors: noObject(IN_INPUT),
  };
  describeValidation(() => gateway, 'trackShipment', refusals);
  describeValidation(() => gateway, 'deleteException', refusals);

  test.each<[means: string, name: string, value: unknown, through: typeof asLiterals]>([
    ['literal', '__proto__', 1, asLiterals],
    ['literal', 'constructor', { prototype: 1 }, asLiterals],
    ['variable', '__proto__', 1, asVariables],
    ['variable', 'constructor', { prototype: 1 }, asVariables],
  ])('a %s with the name %s and the value %j is refused', async (_means, name, value, through) => {
    const args = withInvalidValue('trackShipment', IN_INPUT, { [name]: value });
    expect(await executeAndRecord(gateway, through('trackShipment', args))).toEqual(
      refusedField('trackShipment', [
        [`${IN_INPUT}.${name}`, 'expected a name that no documented or fixed parameter has'],
      ]),
    );
  });

  test.each<[means: string, through: typeof asLiterals]>([
    ['variables', asVariables],
    ['literals', asLiterals],
  ])('any others go to the service, by %s', async (_means, through) => {
    const others = { a: { b: [null, { c: '' }] }, toString: 1, hasOwnProperty: false, CarrierMCs: null };
    const operation = through('trackShipment', withInvalidValue('trackShipment', IN_INPUT, others));
    expect(await gateway.data(operation.query, operation)).toEqual({ trackShipment: { tracked: true } });
    expect(gateway.takeCalls().map((call) => JSON.parse(call.body) as unknown)).toEqual([
      {
        ...others,
        FreightProviderReferenceNumber: 'REF-1001',
        FreightHaulerProviderXID: 'XID-2001',
        CarrierMC: '900001',
        DriverPhoneNumber: '+13035550110',
        ShipmentTrackingType: 'Mobile',
        ApiKey: 'a-secret',
        siteId: 7,
      },
    ]);
  });

  test.each(['1e999', '[1e999]', 'RED', '{ colour: RED }'])(
    'a literal that JSON cannot hold does not go to the service as something else: %s',
    async (literal) => {
      const { query } = asLiterals(
        'trackShipment',
        withInvalidValue('trackShipment', IN_INPUT, { a: 'here' }),
      );
      const { calls } = await executeAndRecord(gateway, { query: query.replace('"here"', literal) });
      expect(calls).toEqual([]);
    },
  );
});

describe('where they stand in the query,', () => {
  const refusals = {
    rules: [taken(IN_INPUT, 'carriermc'), taken(IN_INPUT, 'constructor'), ...nested(IN_INPUT)],
    rulesOfVariables: [nameless(IN_INPUT), ...brokenUnicode(IN_INPUT)],
    coercionErrors: noObject(IN_INPUT),
  };
  describeValidation(() => queryGateway, 'trackShipment', refusals);
  describeValidation(() => queryGateway, 'deleteException', refusals);

  const ofList = 'additionalParameters';
  describeValidation(() => gateway, 'notifications', {
    rules: [...ofPrototypes.flatMap(inEachCase).map((name) => taken(ofList, name)), ...nested(ofList)],
    rulesOfVariables: [nameless(ofList), ...brokenUnicode(ofList)],
    coercionErrors: noObject(ofList),
  });

  test.each<[parameters: object | null, query: string]>([
    [null, ''],
    [{}, ''],
    [{ page: 2, all: false, q: 'a b&c=d#é' }, '?page=2&all=false&q=a+b%26c%3Dd%23%C3%A9'],
    [{ id: ['1', 2, true], none: [] }, '?id=1&id=2&id=true'],
    [{ CarrierMC: 1, 'ApiKey[]': 'x', toString: '' }, '?CarrierMC=1&ApiKey%5B%5D=x&toString='],
  ])('what fits goes to the service: %j', async (parameters, query) => {
    const operation = asVariables('notifications', { additionalParameters: parameters });
    expect(await executeAndRecord(gateway, operation)).toEqual({
      status: 200,
      data: { notifications: { messages: [] } },
      errors: undefined,
      calls: [`GET /v1/customnotifications${query}`],
    });
  });

  test('a name that is no well-formed Unicode is refused, as such a value is', async () => {
    const operation = asVariables('notifications', { additionalParameters: { '\ud800': 'x' } });
    const { data, errors, calls } = await executeAndRecord(gateway, operation);
    expect([data, errors?.map(({ extensions }) => extensions['code']), calls]).toEqual([
      null,
      ['BAD_USER_INPUT'],
      [],
    ]);
  });
});
