import { describe, expect, test } from 'vitest';
import { executeAndRecord, type RecordedExecution } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import {
  withInvalidValue,
  guidFields,
  isMutation,
  asLiterals,
  asVariables,
  type FieldName,
} from '../support/graphql/rootFields.js';
const gateway = useGateway();

const COLLECTION = '/v1/customnotifications/';

describe('an unusual identifier is sent as one path segment', () => {
  const unusual: [guid: string, segment: string][] = [
    ['%2e%2e', '%252e%252e'],
    ['%2F', '%252F'],
    ['%', '%25'],
    ['%zz', '%25zz'],
    ['?', '%3F'],
    ['a?b=c', 'a%3Fb%3Dc'],
    ['#', '%23'],
    ['..;', '..%3B'],
    ['...', '...'],
    [' . ', '%20.%20'],
    ['a;b&c=d+e:f@g,h', 'a%3Bb%26c%3Dd%2Be%3Af%40g%2Ch'],
    ["-_.!~*'()", "-_.!~*'()"],
    ['{notificationGuid}', '%7BnotificationGuid%7D'],
    ['$&', '%24%26'],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['é', '%C3%A9'],
    ['\u2025', '%E2%80%A5'],
    ['\u2215', '%E2%88%95'],
    ['\u202e', '%E2%80%AE'],
    ['\u{1f69a}', '%F0%9F%9A%9A'],
    ['x'.repeat(256), 'x'.repeat(256)],
  ];

  test.each(unusual)('%j', async (guid, segment) => {
    for (const [field, place, method] of guidFields) {
      const expected = unknownGuid(field, guid, `${method} ${COLLECTION}${segment}`);
      const args = withInvalidValue(field, place, guid);
      expect(await executeAndRecord(gateway, asVariables(field, args))).toEqual(expected);
      expect(await executeAndRecord(gateway, asLiterals(field, args))).toEqual(expected);
    }
  });

  test('as its digits if it is an integer', async () => {
    const expected = unknownGuid('notification', '12', `GET ${COLLECTION}12`);
    for (const toOperation of [asVariables, asLiterals]) {
      expect(await executeAndRecord(gateway, toOperation('notification', { notificationGuid: 12 }))).toEqual(
        expected,
      );
    }
  });
});

/** The execution of a field for a notification that does not exist. */
function unknownGuid(field: FieldName, guid: string, call: string): RecordedExecution {
  const data = field === 'notificationsByGuid' ? [null] : null;
  const error = {
    message: 'No resource matches these identifiers',
    path: [field],
    extensions: {
      code: 'NOT_FOUND',
      outcome: 'NOT_APPLIED',
      retryable: false,
      status: 404,
      serviceMessages: [{ message: `There is no notification ${guid}.` }],
    },
  };
  return {
    status: 200,
    data: { [field]: data },
    errors: isMutation(field) ? [error] : undefined,
    calls: [call],
  };
}
