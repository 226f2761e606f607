import { expect, test } from 'vitest';
import { fieldError } from '../support/graphql/fieldError.js';
import { useGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';
import { licensePlateCalls, parametersInBody, shipmentCalls } from '../support/graphql/shipmentOperations.js';
const gateway = useGateway({
  env: { TRACKING_PARAMETERS_IN: 'query', EXCEPTION_PARAMETERS_IN: 'query' },
  toDocumentedForm: parametersInBody,
});

/** Sorted, because the order of query parameters has no meaning. */
function takeCallsWithSortedQuery() {
  return summariesOf(gateway.takeCalls()).map((call) => ({ ...call, query: call.query.split('&').sort() }));
}

function inQuery(call: (typeof shipmentCalls)[number], ...additional: string[]) {
  const documented = Object.entries(call.parameters).map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`,
  );
  return { ...restCall(call.method, call.path), query: [...documented, ...additional].sort() };
}

test.each(shipmentCalls)('$name sends its parameters in the query string and no body', async (call) => {
  gateway.injectFaults(call.success);
  expect(await gateway.data(call.document, { variables: { input: call.input } })).toEqual(call.result);
  expect(takeCallsWithSortedQuery()).toEqual([inQuery(call)]);
});

test.each(licensePlateCalls)('$name sends additional parameters in the query string, too', async (call) => {
  const additionalParameters = { 'a b': 'c&d=é+', Count: -1.5, Flag: false, Tags: ['x', 1, true], None: [] };
  gateway.injectFaults(call.success);
  const variables = { input: { ...call.input, additionalParameters } };
  expect(await gateway.data(call.document, { variables })).toEqual(call.result);
  expect(takeCallsWithSortedQuery()).toEqual([
    inQuery(call, 'a+b=c%26d%3D%C3%A9%2B', 'Count=-1.5', 'Flag=false', 'Tags=x', 'Tags=1', 'Tags=true'),
  ]);
});

test.each(licensePlateCalls)(
  '$name rejects additional parameters that do not fit a query string',
  async (call) => {
    const additionalParameters = { Deep: { a: 1 }, Nothing: null, List: [[1]], Fine: 1 };
    const variables = { input: { ...call.input, additionalParameters } };
    const { data, errors } = await gateway.execute(call.document, { variables });
    expect({ data, errors }).toEqual({
      data: { [call.field]: null },
      errors: Object.entries({ Deep: { a: 1 }, Nothing: null, List: [[1]] }).map(([name, value]) => {
        const message = `expected a string, a number, a boolean or a list of these, got ${JSON.stringify(value)}`;
        return fieldError(call.document, [call.field], message, {
          code: 'BAD_USER_INPUT',
          inputPath: ['input', 'additionalParameters', name],
          rule: 'TYPE',
          outcome: 'NOT_APPLIED',
          retryable: false,
        });
      }),
    });
    expect(gateway.takeCalls()).toEqual([]);
  },
);
