import { describe, expect, test } from 'vitest';
import { shipmentParameterNames } from '../../src/freight/contract.js';
import { executeAndRecord, rejectedField } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import { describeValidation, type Row } from '../support/graphql/validationTables.js';
import { withInvalidValue, asLiterals, asVariables, shipmentFields } from '../support/graphql/rootFields.js';
import { parametersInQuery } from '../support/graphql/shipmentOperations.js';
const gateway = useGateway({
  env: {
    SHIPMENT_PARAMETERS: '{"ApiKey":"a-secret","siteId":7,"site_area":"x","auth.key":"x"}',
    LICENSE_PLATE_PARAMETER: 'AcmeLicensePlate',
  },
});
/** Sends tracking and exception parameters in the query string. */
const queryGateway = useGateway({
  env: parametersInQuery,
});

const IN_INPUT = 'input.additionalParameters';
const configured = ['AcmeLicensePlate', 'ApiKey', 'siteId'];
const prototypeNames = ['constructor', 'prototype'];

const inEachLetterCase = (name: string) => [...new Set([name, name.toLowerCase(), name.toUpperCase()])];
const RESERVED = 'expected a name that is not reserved for a documented or fixed parameter';
const reservedName = (place: string, name: string): Row => [
  place,
  { [name]: 'x' },
  RESERVED,
  `${place}.${name}`,
];
const emptyName = (place: string): Row => [
  place,
  { '': 'x' },
  'expected a non-empty parameter name',
  `${place}.`,
];
const notAScalar = (place: string, value: unknown): Row => [
  place,
  { a: 'fits', b: value },
  `expected a string, a number, a boolean or a list of these, got ${JSON.stringify(value)}`,
  `${place}.b`,
];
const nestedValues = (place: string) =>
  [null, {}, { c: 1 }, [null], [[]], ['fits', { c: 1 }]].map((value) => notAScalar(place, value));
const illFormedUnicode = (place: string) => ['\ud800', ['\udc00']].map((value) => notAScalar(place, value));

describe('additional parameters in the body', () => {
  for (const field of shipmentFields) describeValidation(() => gateway, field, [emptyName(IN_INPUT)]);

  test.each(shipmentFields)('of %s cannot have any reserved name, in any letter case', async (field) => {
    const names = [...shipmentParameterNames, ...configured, ...prototypeNames, '__Proto__']
      .flatMap(inEachLetterCase)
      .filter((name) => name !== '__proto__');
    const args = withInvalidValue(field, IN_INPUT, Object.fromEntries(names.map((name) => [name, 'x'])));
    const expected = rejectedField(
      field,
      names.map((name) => [`${IN_INPUT}.${name}`, RESERVED]),
    );
    expect(await executeAndRecord(gateway, asVariables(field, args))).toEqual(expected);
    expect(await executeAndRecord(gateway, asLiterals(field, args))).toEqual(expected);
  });

  test.each([
    ['a dotless i', 'ap\u0131Key'],
    ['an i with a dot', 'ap\u0130Key'],
    ['the Kelvin sign', 'api\u212aey'],
    ['a long s', '\u017fiteId'],
    ['full-width letters', '\uff41pi\uff2bey'],
    ['mathematical letters', '\u{1d41a}\u{1d429}\u{1d422}\u{1d40a}\u{1d41e}\u{1d432}'],
    ['a space behind it', 'apiKey '],
    ['white space around it', '\u00a0\u3000apiKey\u2003'],
    ['a zero-width space', 'api\u200bKey'],
    ['a byte order mark', '\ufeffapiKey'],
    ['a soft hyphen', 'api\u00adKey'],
    ['a right-to-left mark and a space', 'apiKey \u200f'],
    ['a variation selector', 'apiKey\ufe0f'],
    ['a tag character', 'apiKey\u{e0001}'],
    ['the default name of a documented parameter', 'Carr\u0131erMC'],
    ['a prototype name', 'prototype\u200b'],
    ['brackets, as of a list', 'apiKey[]'],
    ['an index', 'apiKey[0]'],
    ['a key in brackets', 'ApiKey [key]'],
    ['brackets around it', '[apiKey]'],
    ['full-width brackets', 'apiKey\uff3b\uff3d'],
    ['a bracket that is not closed', 'apiKey['],
    ['a dot and a key', 'apiKey.key'],
    ['a dot in place of an underscore', 'site.area'],
    ['a space in place of an underscore', 'site area[]'],
    ['a bracket in place of an underscore', 'site[area'],
    ['brackets in place of a dot', 'auth[key]'],
    ['only the part before its dot', 'auth'],
    ['a key of a prototype name', 'constructor[prototype][x]'],
  ])('cannot have a reserved name spelled with %s', async (_spelling, name) => {
    for (const field of shipmentFields) {
      const args = withInvalidValue(field, IN_INPUT, { [name]: 'x' });
      expect(await executeAndRecord(gateway, asVariables(field, args))).toEqual(
        rejectedField(field, [[`${IN_INPUT}.${name}`, RESERVED]]),
      );
    }
  });

  test.each([
    ['apiKey\u0000', 'expected a parameter name without control characters'],
    ['\u0085other', 'expected a parameter name without control characters'],
    ['x'.repeat(101), 'expected a parameter name of at most 100 characters, got 101'],
    ['\ufdfa'.repeat(50_000), 'expected a parameter name of at most 100 characters, got 50000'],
  ])('cannot have a name such as %j', async (name, message) => {
    const args = withInvalidValue('trackShipment', IN_INPUT, { [name]: 'x' });
    const { errors, calls } = await executeAndRecord(gateway, asVariables('trackShipment', args));
    expect([errors?.map((error) => error.message === message), calls]).toEqual([[true], []]);
  });

  test('can have names with combining marks and joiners that resemble no reserved name', async () => {
    const names = [
      'other[apiKey]',
      'other.siteId',
      '[]',
      'Re\u0301ception',
      'ap\u00efKey',
      '\u{1f469}\u200d\u{1f69a}',
      'api Key',
      'x'.repeat(100),
    ];
    const parameters = Object.fromEntries(names.map((name) => [name, 'x']));
    const operation = asVariables('trackShipment', withInvalidValue('trackShipment', IN_INPUT, parameters));
    expect(await gateway.data(operation.query, operation)).toEqual({ trackShipment: { tracked: true } });
    expect(gateway.takeCalls().map((call) => JSON.parse(call.body) as unknown)).toEqual([
      expect.objectContaining(parameters),
    ]);
  });

  test.each([
    ['__proto__', 1],
    ['constructor', { prototype: 1 }],
  ])('cannot have the name %s (value %j)', async (name, value) => {
    const args = withInvalidValue('trackShipment', IN_INPUT, { [name]: value });
    const expected = rejectedField('trackShipment', [[`${IN_INPUT}.${name}`, RESERVED]]);
    expect(await executeAndRecord(gateway, asVariables('trackShipment', args))).toEqual(expected);
    expect(await executeAndRecord(gateway, asLiterals('trackShipment', args))).toEqual(expected);
  });

  test('cannot have an enum value, or a variable without a value', async () => {
    const query =
      'query ($a: Int) { notifications(additionalParameters: { a: $a, b: [NONE] }) { messages } }';
    expect(await gateway.execute(query)).toMatchObject({
      errors: ['a', 'b'].map((name) => ({
        message: 'expected JSON nested at most 100 levels deep, with finite numbers and without enums',
        extensions: { inputPath: ['additionalParameters', name], rule: 'JSON' },
      })),
    });
    expect(gateway.takeCalls()).toEqual([]);
  });

  test.each<[form: string, toOperation: typeof asLiterals]>([
    ['variables', asVariables],
    ['literals', asLiterals],
  ])('reach the service under any other name, given as %s', async (_form, toOperation) => {
    const parameters = { a: { b: [null, { c: '' }] }, toString: 1, hasOwnProperty: false, CarrierMCs: null };
    const operation = toOperation('trackShipment', withInvalidValue('trackShipment', IN_INPUT, parameters));
    expect(await gateway.data(operation.query, operation)).toEqual({ trackShipment: { tracked: true } });
    expect(gateway.takeCalls().map((call) => JSON.parse(call.body) as unknown)).toEqual([
      {
        ...parameters,
        FreightProviderReferenceNumber: 'REF-1001',
        FreightHaulerProviderXID: 'XID-2001',
        CarrierMC: '900001',
        DriverPhoneNumber: '+13035550110',
        ShipmentTrackingType: 'Mobile',
        ApiKey: 'a-secret',
        siteId: 7,
        site_area: 'x',
        'auth.key': 'x',
      },
    ]);
  });

  test.each(['1e999', '[1e999]', 'RED', '{ color: RED }'])(
    'are not sent if JSON cannot represent their literal: %s',
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

describe('additional parameters in the query string', () => {
  const rulesFor = (place: string) => [
    ...prototypeNames.flatMap(inEachLetterCase).map((name) => reservedName(place, name)),
    ...nestedValues(place),
    emptyName(place),
    ...illFormedUnicode(place),
  ];
  for (const field of shipmentFields)
    describeValidation(() => queryGateway, field, [
      reservedName(IN_INPUT, 'carriermc'),
      ...rulesFor(IN_INPUT),
    ]);
  describeValidation(() => gateway, 'notifications', rulesFor('additionalParameters'));

  test('cannot have a name in ill-formed Unicode', async () => {
    const operation = asVariables('notifications', { additionalParameters: { '\ud800': 'x' } });
    const { data, errors, calls } = await executeAndRecord(gateway, operation);
    expect([data, errors?.map(({ extensions }) => extensions['code']), calls]).toEqual([
      { notifications: null },
      ['BAD_USER_INPUT'],
      [],
    ]);
  });
});
