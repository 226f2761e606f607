import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { executeAndRecord, refusedField } from '../support/gateway/executeAndRecord.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { describeValidation, nullFor, type Row } from '../support/graphql/validationTables.js';
import { withInvalidValue, guidFields, asVariables } from '../support/graphql/rootFields.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const empty = 'expected a non-empty identifier';
const dots = 'expected an identifier that is not a dot segment';
const plain = 'expected an identifier without slashes or control characters';
const unicode = 'expected well-formed Unicode';

const refused: [guid: string, expectation: string][] = [
  ['', empty],
  [' ', empty],
  ['\t\r\n\u00a0\ufeff', empty],
  ['.', dots],
  ['..', dots],
  ['/', plain],
  ['a/b', plain],
  ['../x', plain],
  ['..\\x', plain],
  ['\\', plain],
  ['a\u0000', plain],
  ['a\r\nx-header: b', plain],
  ['a\u001f', plain],
  ['a\u007f', plain],
  ['a\u0085b', plain],
  ['a\u009f', plain],
];
const refusedVariables: [guid: string, expectation: string][] = [
  ['\ud800', unicode],
  ['\udc00\ud800', unicode],
  ['a\ud83d', unicode],
];

describe.each(guidFields)('%s', (field, place) => {
  const row = ([guid, expectation]: (typeof refused)[number]): Row => [
    place,
    guid,
    `${expectation}, got ${JSON.stringify(guid)}`,
  ];
  const [argument, type] = place.endsWith('[0]') ? [place.slice(0, -3), '[ID!]!'] : [place, 'ID!'];
  describeValidation(() => gateway, field, {
    rules: refused.map(row),
    rulesOfVariables: refusedVariables.map(row),
    coercionErrors: [
      ...[undefined, null].map((value): Row => [argument, value, nullFor(type)]),
      [place, null, nullFor('ID!')],
      ...[1.5, true, {}, ['a']].map((value): Row => [
        place,
        value,
        `ID cannot represent value: ${JSON.stringify(value)}`,
      ]),
    ],
  });

  test('a long one that is refused is cut in the message', async () => {
    const operation = asVariables(field, withInvalidValue(field, place, `/${'x'.repeat(1000)}`));
    expect(await executeAndRecord(gateway, operation)).toEqual(
      refusedField(field, [[place, `${plain}, got "/${'x'.repeat(98)}…`]]),
    );
  });
});
