import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collectScalars, redact } from '../../src/freight/redact.js';
import { seededRandom } from '../support/tools/seededRandom.js';
import { TRACK } from '../support/graphql/documents.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { parametersInBody, shipmentCalls } from '../support/graphql/shipmentOperations.js';

describe('redact replaces', () => {
  test.each<[string, unknown, string[], unknown]>([
    ['a string that is a secret', '5ecret', ['5ecret'], '[redacted]'],
    ['every occurrence', 'a 5ecret, 5ecret', ['5ecret'], 'a [redacted], [redacted]'],
    ['occurrences that touch, by one placeholder', 'a 5ecret5ecret!', ['5ecret'], 'a [redacted]!'],
    ['a secret that overlaps itself', 'x 1212121 y', ['1212'], 'x [redacted]1 y'],
    ['secrets that overlap each other', 'x key-one-two y', ['key-one', 'one-two'], 'x [redacted] y'],
    ['a secret within another one', 'x key-one y', ['ey-o', 'key-one'], 'x [redacted] y'],
    ['a secret in another case', 'the 5eCRET', ['5ecret'], 'the [redacted]'],
    ['several secrets', 'key-one, key-two', ['key-one', 'key-two'], '[redacted], [redacted]'],
    ['strings in arrays and objects', [{ a: ['x 5ecret'] }], ['5ecret'], [{ a: ['x [redacted]'] }]],
    ['property names', { 'the 5ecret': 1 }, ['5ecret'], { 'the [redacted]': 1 }],
    [
      'secrets with characters that are special in regular expressions',
      'x (a+b)$& y',
      ['(a+b)$&'],
      'x [redacted] y',
    ],
  ])('%s', (_name, message, secrets, redacted) => {
    expect(redact(message, secrets)).toEqual(redacted);
  });

  test.each([
    [4242, 4242],
    [4242, -4242],
    [-4242, 4242],
    ['4242', 4242],
    ['4242.0', -4242],
    [0.125, -0.125],
    [48_151_623_421_642, 48_151_623_421_642],
  ])('a secret that is %j in the number %d', (secret, number) => {
    expect(redact({ pin: number, pins: [number] }, collectScalars({ Pin: secret }))).toEqual({
      pin: '[redacted]',
      pins: ['[redacted]'],
    });
  });

  test.each([
    ['-4242', '[redacted]'],
    ['+4242', '+[redacted]'],
    ['4242.0', '[redacted].0'],
    ['4.242e3', '[redacted]'],
    ['4.242E+3', '[redacted]'],
    ['pin=%34242&', 'pin=[redacted]&'],
  ])('a secret that is the number -4242 in the text %j', (text, redacted) => {
    expect(redact(text, collectScalars({ Pin: -4242 }))).toBe(redacted);
  });

  const secret = 'p@ss äß-é/"1"+';
  test.each([
    ['JSON', JSON.stringify(secret).slice(1, -1)],
    ['JSON in JSON', JSON.stringify(JSON.stringify(secret)).slice(3, -3)],
    ['JSON, with every character escaped', escapeEach(secret, (unit) => `\\u${hex(unit, 4)}`)],
    ['JSON, with some characters escaped in upper case', 'p\\u0040ss \\u00E4\\u00DF-\\u00e9\\/\\"1\\"+'],
    ['a URL', encodeURIComponent(secret)],
    ['a URL, in lower case', encodeURIComponent(secret).toLowerCase()],
    ['a URL in a URL', encodeURIComponent(encodeURIComponent(secret))],
    ['a URL in JSON in a URL', encodeURIComponent(JSON.stringify(encodeURIComponent(secret)).slice(1, -1))],
    ['a form', new URLSearchParams([['', secret]]).toString().slice(1)],
    ['HTML', 'p@ss &#228;&#223;-é/&quot;1&#34;+'],
    ['HTML, with every character escaped', escapeEach(secret, (unit) => `&#x${hex(unit, 1)};`)],
  ])('a secret with the escapes of %s', (_name, escaped) => {
    expect(redact(`Key=${escaped}, 100 %, C:\\temp\\new`, [secret])).toBe(
      'Key=[redacted], 100 %, C:\\temp\\new',
    );
    expect(redact({ [`a ${escaped}`]: [escaped] }, [secret])).toEqual({ 'a [redacted]': ['[redacted]'] });
  });

  test.each([
    ['in the secret', 'id-%41%2B\\u0042', 'x id-%41%2B\\u0042 y', 'x [redacted] y'],
    ['in the secret, and again around it', 'id-%41', `x ${encodeURIComponent('id-%41')} y`, 'x [redacted] y'],
    ['which seem to begin before the secret', 'new@5ecret', 'C:\\new%405ecret', 'C:\\[redacted]'],
  ])('a secret despite escapes %s', (_where, own, text, redacted) => {
    expect(redact(text, [own])).toBe(redacted);
  });

  test('secrets in letters whose upper case is longer, or that are astral', () => {
    expect(redact('ß 𐐨𐐨-1 ß', ['𐐀𐐀-1'])).toBe('ß [redacted] ß');
    expect(redact('ßÄ-Ö', ['ßä-ö'])).toBe('[redacted]');
  });

  test('property names that become equal, without losing a value', () => {
    expect(
      redact({ 'key-one': 1, 'key-two': 2, '[redacted] (2)': 3, '[redacted]': 4 }, ['key-one', 'key-two']),
    ).toEqual({ '[redacted]': 1, '[redacted] (2)': 2, '[redacted] (2) (2)': 3, '[redacted] (3)': 4 });
  });

  test('a secret that contains another one as a whole, in any order', () => {
    const secrets = ['acme', 'acme-7f3d9'];
    expect(redact('unknown key acme-7f3d9', secrets)).toBe('unknown key [redacted]');
    expect(redact('unknown key acme-7f3d9', secrets.toReversed())).toBe('unknown key [redacted]');
  });
});

describe('redact changes nothing', () => {
  test.each<[string, unknown, string[]]>([
    ['without secrets', { a: ['5ecret', 1, true, null] }, []],
    ['with an empty secret', 'any text', ['']],
    ['with a secret of fewer than four characters, which occurs by chance', 'abc abc', ['abc']],
    ['if the secret does not occur', ['5ecre', { t: '6ecret' }], ['5ecret']],
    ['in values that are not strings', [null, true, false, 0, 1.5, {}, []], ['null', 'true', 'false']],
    ['in escapes that contain no secret', 'a%2Fb+c \\u0041 \\" &amp; %', ['5ecret']],
    ['in numbers that only contain a secret', [42_420, 142_420, 4242.5], ['4242']],
    ['in short numbers', [42, -42, 0], ['0042', '-42', '0000', '    ']],
    ['in an object with a __proto__ property', JSON.parse('{"__proto__":{"a":"b"}}'), ['5ecret']],
  ])('%s', (_name, message, secrets) => {
    const before = JSON.stringify(message);
    expect(JSON.stringify(redact(message, secrets))).toBe(before);
  });

  test('in its input', () => {
    const message = { a: ['5ecret'] };
    redact(message, ['5ecret']);
    expect(message).toEqual({ a: ['5ecret'] });
  });
});

describe("a client's token", () => {
  test('is redacted between the secrets of the operator', () => {
    expect(redact(['Bearer t0ken for k3y!, k3y!t0ken', 4242], ['k3y!'], ['t0ken'])).toEqual([
      'Bearer [redacted] for [redacted], [redacted]',
      4242,
    ]);
    expect(redact([4242, 'a-%74%30ken'], ['k3y!'], ['4242', 't0ken'])).toEqual([
      '[redacted]',
      'a-[redacted]',
    ]);
  });

  test.each(['key=c4', 'y=c4n4ry-5ecre', '4ry-5', 'c4n4ry-5ecret', '5ecret!', 't!!!', 'redacted', '4242'])(
    'that is %j and matches a part of a secret changes nothing',
    (token) => {
      const messages = [
        'key=c4n4ry-5ecret!!!',
        { 'c4n4ry-5ecret': '424242' },
        424_242,
        'k\\u0065y=c4n4ry-5ecret',
      ];
      const secrets = ['c4n4ry-5ecret', '424242'];
      expect(redact(messages, secrets, [token])).toEqual(redact(messages, secrets));
    },
  );

  test('takes time in proportion to its length and that of the text', () => {
    const letters = 'a'.repeat(200_000);
    const token = 'a'.repeat(100_000);
    const startedAt = performance.now();
    for (const each of [token, `b${token}`, `${token}b`, `${token}b${token}`]) {
      expect(redact([letters], ['5ecret'], [each])).toEqual([each === token ? '[redacted]' : letters]);
    }
    // Linear: some 20 ms. Quadratic: at least 10 s.
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });
});

test('redact leaves what simple search leaves: nothing of a secret, and all the rest', () => {
  const random = seededRandom('redaction');
  const text = (letters: string, length: number) =>
    Array.from({ length }, () => letters.charAt(random.below(letters.length))).join('');
  for (let count = 0; count < 3_000; count++) {
    const letters = random.pick(['ab', 'abc', 'aB1', 'ab%', 'a+b']);
    const secrets = Array.from({ length: 1 + random.below(3) }, () => text(letters, 4 + random.below(4)));
    const token = text(letters, 4 + random.below(3));
    const message = text(letters, random.below(40));
    const expected = maskOccurrences(maskOccurrences(message, secrets, '\0'), [token], '\0');
    expect(redact(message, secrets, [token]), JSON.stringify({ message, secrets, token })).toBe(
      expected.replaceAll(/\0+/g, '[redacted]'),
    );
  }
});

/** Replaces each character that belongs to an occurrence. */
function maskOccurrences(text: string, secrets: readonly string[], mask: string): string {
  return Array.from(text, (character, index) => {
    const isSecret = secrets.some((secret) =>
      Array.from(secret, (_, offset) => index - offset)
        .filter((start) => start >= 0)
        .some((start) => text.slice(start, start + secret.length).toLowerCase() === secret.toLowerCase()),
    );
    return isSecret ? mask : character;
  }).join('');
}

function escapeEach(text: string, escape: (unit: number) => string): string {
  return Array.from({ length: text.length }, (_, index) => escape(text.charCodeAt(index))).join('');
}

function hex(unit: number, digits: number): string {
  return unit.toString(16).padStart(digits, '0');
}

test.each<[unknown, string[]]>([
  [{}, []],
  [{ Key: 'k', Pin: 1234, Flag: true, None: null }, ['k', '1234']],
  [{ Nested: { list: ['a', [2, { deep: 'c' }]] } }, ['a', '2', 'c']],
])('collectScalars finds in the parameters %j the secrets %j', (parameters, secrets) => {
  expect(collectScalars(parameters)).toEqual(secrets);
});

describe('the messages of a rejected call', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({
      env: { SHIPMENT_PARAMETERS: JSON.stringify({ Key: 'p@ss "word"/1' }), TRACKING_PARAMETERS_IN: 'query' },
      toDocumentedForm: parametersInBody,
    });
  });
  afterAll(() => gateway.stop());

  const rejectionWith = async (messages: string) => {
    gateway.injectFaults({ status: 400, body: `{"messages":${messages}}` });
    const { errors } = await gateway.execute(TRACK, { variables: { input: shipmentCalls[0]?.input } });
    expect(gateway.takeCalls().length).toBe(1);
    return errors?.map(({ extensions }) => extensions);
  };

  test.each([
    ['verbatim', 'There is no account p@ss "word"/1.', 'There is no account [redacted].'],
    ['URL-encoded', 'There is no POST /x?Key=p%40ss+%22word%22%2F1', 'There is no POST /x?Key=[redacted]'],
    ['JSON-escaped', 'Cannot read {"Key":"p@ss \\"word\\"/1"}', 'Cannot read {"Key":"[redacted]"}'],
  ])('reach the client without a secret that is %s', async (_form, message, redacted) => {
    expect(await rejectionWith(JSON.stringify([message]))).toEqual([
      {
        code: 'SERVICE_REJECTED',
        outcome: 'NOT_APPLIED',
        retryable: false,
        status: 400,
        serviceMessages: [redacted],
        requestId: expect.any(String) as string,
      },
    ]);
  });

  test('reach the client up to the twentieth', async () => {
    const messages = Array.from({ length: 25 }, (_, index) => ({ message: `Problem ${index}` }));
    expect(await rejectionWith(JSON.stringify(messages))).toMatchObject([
      { serviceMessages: messages.slice(0, 20) },
    ]);
  });

  test('reach the client up to 10,000 characters of JSON, whole ones only', async () => {
    const messages = [4998, 4997, 1].map((length) => 'x'.repeat(length));
    expect(await rejectionWith(JSON.stringify(messages))).toMatchObject([
      { serviceMessages: messages.slice(0, 2) },
    ]);
    const tooLong = [4998, 4999, 1].map((length) => 'x'.repeat(length));
    expect(await rejectionWith(JSON.stringify(tooLong))).toMatchObject([
      { serviceMessages: tooLong.slice(0, 1) },
    ]);
  });

  test('do not hide the rejection if they are nested too deeply', async () => {
    expect(await rejectionWith('['.repeat(10_000) + ']'.repeat(10_000))).toMatchObject([
      { code: 'SERVICE_REJECTED', outcome: 'NOT_APPLIED', retryable: false, status: 400 },
    ]);
  });
});
