import { describe, expect, test } from 'vitest';
import { executeAndRecord, rejectedField } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import { describeValidation, nullFor, type Row } from '../support/graphql/validationTables.js';
import { withInvalidValue, guidFields, asLiterals, asVariables } from '../support/graphql/rootFields.js';
const gateway = useGateway();

const empty = 'expected a non-empty identifier';
const dotSegment = 'expected an identifier that is not a dot segment';
const forbiddenCharacter = 'expected an identifier without slashes or control characters';
const unicode = 'expected well-formed Unicode';

const invalid: [guid: string, expectation: string][] = [
  ['', empty],
  [' ', empty],
  ['\t\r\n\u00a0\ufeff', empty],
  ['.', dotSegment],
  ['..', dotSegment],
  ['/', forbiddenCharacter],
  ['a/b', forbiddenCharacter],
  ['../x', forbiddenCharacter],
  ['..\\x', forbiddenCharacter],
  ['\\', forbiddenCharacter],
  ['a\u0000', forbiddenCharacter],
  ['a\r\nx-header: b', forbiddenCharacter],
  ['a\u001f', forbiddenCharacter],
  ['a\u007f', forbiddenCharacter],
  ['a\u0085b', forbiddenCharacter],
  ['a\u009f', forbiddenCharacter],
];
const invalidVariables: [guid: string, expectation: string][] = [
  ['\ud800', unicode],
  ['\udc00\ud800', unicode],
  ['a\ud83d', unicode],
];

describe.each(guidFields)('%s', (field, place, method) => {
  const row = ([guid, expectation]: (typeof invalid)[number]): Row => [
    place,
    guid,
    `${expectation}, got ${JSON.stringify(guid)}`,
  ];
  const [argument, type] = place.endsWith('[0]') ? [place.slice(0, -3), '[ID!]!'] : [place, 'ID!'];
  describeValidation(() => gateway, field, {
    rules: invalid.map(row),
    rulesOfVariables: invalidVariables.map(row),
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

  test.each([
    "a;b&c=d+e:f@g,h?i#%2f..{notificationGuid}$&-_.!~*'()",
    '%2e%2e',
    ' é\u2215\u202e🚚',
    '__proto__',
  ])('sends the unusual identifier %j as one path segment', async (guid) => {
    const args = withInvalidValue(field, place, guid);
    for (const toOperation of [asVariables, asLiterals]) {
      const { calls } = await executeAndRecord(gateway, toOperation(field, args));
      expect(calls).toEqual([`${method} /v1/customnotifications/${encodeURIComponent(guid)}`]);
    }
  });

  test('truncates a long invalid identifier in the error message', async () => {
    const operation = asVariables(field, withInvalidValue(field, place, `/${'x'.repeat(200)}`));
    expect(await executeAndRecord(gateway, operation)).toEqual(
      rejectedField(field, [[place, `${forbiddenCharacter}, got "/${'x'.repeat(98)}…`]]),
    );
  });

  test.each([257, 200_000])('rejects an identifier of %d characters', async (length) => {
    const operation = asVariables(field, withInvalidValue(field, place, 'x'.repeat(length)));
    expect(await executeAndRecord(gateway, operation)).toEqual(
      rejectedField(field, [
        [place, `expected an identifier of at most 256 characters, got "${'x'.repeat(99)}…`],
      ]),
    );
  });
});

test('an integer is the identifier of its digits', async () => {
  for (const toOperation of [asVariables, asLiterals]) {
    const { calls } = await executeAndRecord(gateway, toOperation('notification', { notificationGuid: 12 }));
    expect(calls).toEqual(['GET /v1/customnotifications/12']);
  }
});
