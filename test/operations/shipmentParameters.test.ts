/** Which parameters calls about shipments have, where they are sent, and under which names. */
import { describe, expect, test } from 'vitest';
import { LIST } from '../support/graphql/documents.js';
import { useGateway, type TestGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';
import {
  licensePlateCalls,
  parametersInBody,
  parametersInQuery,
  shipmentCalls,
} from '../support/graphql/shipmentOperations.js';

type ShipmentCall = (typeof shipmentCalls)[number];

/** The REST calls of an operation that succeeds, their queries sorted: the order of query parameters has no meaning. */
async function callsOf(at: TestGateway, call: ShipmentCall, additionalParameters?: object | null) {
  at.injectFaults(call.success);
  const input = { ...call.input, ...(additionalParameters !== undefined && { additionalParameters }) };
  expect(await at.data(call.document, { variables: { input } })).toEqual(call.result);
  return summariesOf(at.takeCalls()).map((sent) => ({ ...sent, query: sent.query.split('&').sort() }));
}

const inBody = (call: ShipmentCall, body: object = call.parameters) => [
  { ...restCall(call.method, call.path, { body }), query: [''] },
];
const inQuery = (call: ShipmentCall, ...others: string[]) => {
  const documented = Object.entries(call.parameters).map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`,
  );
  return [{ ...restCall(call.method, call.path), query: [...documented, ...others].sort() }];
};

describe('By default, in the body,', () => {
  const gateway = useGateway();

  test.each(shipmentCalls)('$name sends exactly its documented parameters', async (call) => {
    expect(await callsOf(gateway, call)).toEqual(inBody(call));
  });

  describe.each(licensePlateCalls)('$name', (call) => {
    test.each<[string, object | null]>([
      ['null', null],
      ['an empty object', {}],
      ['any JSON', { Note: 'é', Count: 0, Flag: false, Nothing: null, Deep: { a: [1, { b: null }] } }],
      ['unusual names', { 'with space': 1, 'Carrier MC': 2, toString: 3, hasOwnProperty: 4, '0': 5 }],
    ])('sends additional parameters along with the documented ones: %s', async (_content, additional) => {
      expect(await callsOf(gateway, call, additional)).toEqual(
        inBody(call, { ...additional, ...call.parameters }),
      );
    });
  });
});

describe('In the query string,', () => {
  const gateway = useGateway({
    env: parametersInQuery,
    toDocumentedForm: parametersInBody,
  });

  test.each(shipmentCalls)('$name sends its parameters and no body', async (call) => {
    expect(await callsOf(gateway, call)).toEqual(inQuery(call));
  });

  test.each(licensePlateCalls)('$name sends additional parameters, too', async (call) => {
    const additional = { 'a b': 'c&d=é+', Count: -1.5, Flag: false, Tags: ['x', 1, true], None: [] };
    expect(await callsOf(gateway, call, additional)).toEqual(
      inQuery(call, 'a+b=c%26d%3D%C3%A9%2B', 'Count=-1.5', 'Flag=false', 'Tags=x', 'Tags=1', 'Tags=true'),
    );
  });
});

describe.each(Object.entries(parametersInQuery))(
  'With fixed parameters, and only %s=%s,',
  (variable, value) => {
    const fixed = { AccountKey: 's3cr3t/é', Tenant: 7, Flags: ['a', true] };
    const encoded = ['AccountKey=s3cr3t%2F%C3%A9', 'Tenant=7', 'Flags=a', 'Flags=true'];
    const gateway = useGateway({
      env: { [variable]: value, SHIPMENT_PARAMETERS: JSON.stringify(fixed) },
      toDocumentedForm: parametersInBody,
    });

    test.each(licensePlateCalls)('$name sends all parameters in one place', async (call) => {
      expect(await callsOf(gateway, call, { Note: 'n' })).toEqual(
        variable === call.pathVariable
          ? inQuery(call, 'Note=n', ...encoded)
          : inBody(call, { Note: 'n', ...call.parameters, ...fixed }),
      );
    });

    test('notification calls have no fixed parameters, and their names are available', async () => {
      await gateway.data(LIST, { variables: { parameters: { Tenant: 8 } } });
      expect(summariesOf(gateway.takeCalls())).toEqual([
        restCall('GET', '/v1/customnotifications', { query: 'Tenant=8' }),
      ]);
    });
  },
);

describe('With LICENSE_PLATE_PARAMETER,', () => {
  const NAME = 'Brand_LicensePlate';
  const gateway = useGateway({
    env: { LICENSE_PLATE_PARAMETER: NAME },
    toDocumentedForm: (call) => ({ ...call, body: call.body.replace(`"${NAME}"`, '"PortalLicensePlate"') }),
  });

  test.each(shipmentCalls)('$name sends the license plate under that name', async (call) => {
    const { PortalLicensePlate: plate, ...others }: Record<string, string> = { ...call.parameters };
    expect(await callsOf(gateway, call)).toEqual(
      inBody(call, { ...others, ...(plate && { [NAME]: plate }) }),
    );
  });
});
