import { describe, expect, test } from 'vitest';
import { executeAndRecord, rejectedField } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import { blankMessage, characterMessage, describeValidation } from '../support/graphql/validationTables.js';
import { withInvalidValue, guidFields, asLiterals, asVariables } from '../support/graphql/rootFields.js';
const gateway = useGateway();

const dotSegment = 'expected an identifier that is not a dot segment';
const slash = 'expected an identifier without slashes';
const expected = (expectation: string, guid: string) => `${expectation}, got ${JSON.stringify(guid)}`;
const control = (code: string, guid: string) =>
  characterMessage(`control character ${code} at position 2`, guid);

const invalid: [guid: string, message: string][] = [
  ...['', ' ', '\t\r\n\u00a0\ufeff'].map((guid): [string, string] => [guid, blankMessage(guid)]),
  ...['.', '..'].map((guid): [string, string] => [guid, expected(dotSegment, guid)]),
  ...['/', 'a/b', '../x', '..\\x', '\\'].map((guid): [string, string] => [guid, expected(slash, guid)]),
  ['a\u0000', control('U+0000', 'a\u0000')],
  ['a\r\nx-header: b', characterMessage('line end U+000D at position 2', 'a\r\nx-header: b')],
  ['a\u001f', control('U+001F', 'a\u001f')],
  ['a\u007f', control('U+007F', 'a\u007f')],
  ['a\u0085b', characterMessage('line end U+0085 at position 2', 'a\u0085b')],
  ['a\u009f', control('U+009F', 'a\u009f')],
  ['\ud800', characterMessage('lone surrogate U+D800 at position 1', '\ud800')],
  ['\udc00\ud800', characterMessage('lone surrogate U+DC00 at position 1', '\udc00\ud800')],
  ['🚚 \ud83d', characterMessage('lone surrogate U+D83D at position 3', '🚚 \ud83d')],
];

describe.each(guidFields)('%s', (field, place, method) => {
  describeValidation(
    () => gateway,
    field,
    invalid.map(([guid, message]) => [place, guid, message]),
  );

  test.each(["a;b&c=d+e:f@g,h?i#%2f..{notificationGuid}$&-_.!~*'()", '%2e%2e', 'é\u2215 🚚', '__proto__'])(
    'sends the unusual identifier %j as one path segment',
    async (guid) => {
      const args = withInvalidValue(field, place, guid);
      for (const toOperation of [asVariables, asLiterals]) {
        const { calls } = await executeAndRecord(gateway, toOperation(field, args));
        expect(calls).toEqual([`${method} /v1/customnotifications/${encodeURIComponent(guid)}`]);
      }
    },
  );

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
