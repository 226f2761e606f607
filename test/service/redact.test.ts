import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { collectScalars, redact } from '../../src/freight/redact.js';
import { TRACK } from '../support/graphql/documents.js';
import { useGateway } from '../support/gateway/gateway.js';
import { parametersInBody, parametersInQuery, shipmentCalls } from '../support/graphql/shipmentOperations.js';

const REDACTED = '[redacted]';

describe('redact replaces as a whole', () => {
  test.each<[string, unknown, string[], unknown]>([
    ['a text that is a secret', '5ecret', ['5ecret'], REDACTED],
    ['a text that contains a secret in another letter case', 'key=5eCRET!', ['5ecret'], REDACTED],
    [
      'each text that contains one of the secrets',
      ['x a-one', 'y', 'b-two'],
      ['a-one', 'b-two'],
      [REDACTED, 'y', REDACTED],
    ],
    ['texts in arrays and objects', [{ a: ['x 5ecret'] }], ['5ecret'], [{ a: [REDACTED] }]],
    ['names of properties', { 'the 5ecret': 1 }, ['5ecret'], { [REDACTED]: 1 }],
    ['a secret with characters that are special in regular expressions', '(a+b)$&', ['(a+b)$&'], REDACTED],
    ['a secret in letters whose upper case is longer', 'STRASSE', ['straße'], REDACTED],
    ['a secret in astral letters', 'a 𐐨𐐨-1', ['𐐀𐐀-1'], REDACTED],
    [
      'a secret with half a surrogate pair',
      ['\ud83d5ecret', '%EF%BF%BD5ecret'],
      ['\ud83d5ecret'],
      [REDACTED, REDACTED],
    ],
    ['a text that ends within a long secret', `x ${'5ecret'.repeat(17)}`, ['5ecret'.repeat(50)], REDACTED],
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
      pin: REDACTED,
      pins: [REDACTED],
    });
  });

  test.each(['-4242', '+4242', '4242.0', 'pin=4242&'])(
    'a secret that is the number -4242 in the text %j',
    (text) => {
      expect(redact(text, collectScalars({ Pin: -4242 }))).toBe(REDACTED);
    },
  );

  test.each([
    ['after what looks like an escape', 'new@5ecret', 'C:\\new%405ecret'],
    ['of a form after what looks like an escape', 'new 5e@cret', 'C:\\new+5e%40cret'],
    ['of JSON after what looks like an escape', 'new"5ecret', 'C:\\new\\"5ecret'],
    ['of JSON as PHP writes it', 'p/ss+5ecret', 'token \\"p\\/ss+5ecret\\"'],
    ['of JSON as .NET writes it', 'p/ss+5ecret', '{\\u0022token\\u0022:\\u0022p/ss\\u002B5ecret\\u0022}'],
    ['of a URL that escapes more than it has to', "it's5ecret*", 'GET /?t=it%27s5%65cret%2A'],
    ['of a URL that keeps its delimiters', 'p@ss/ä?', 'GET /p@ss/%c3%a4?&x'],
  ])('a secret with the escapes %s', (_where, own, text) => {
    expect(redact(text, [own])).toBe(REDACTED);
  });
});

/** In which a message may quote a request. */
const spelling = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => encodeURIComponent(text.toWellFormed()),
  (text) => encodeURIComponent(text.toWellFormed()).replace(/%../g, (escape) => escape.toLowerCase()),
  (text) => encodeURI(text.toWellFormed()),
  (text) => new URLSearchParams([['', text]]).toString().slice(1),
);
const letters = fc.constantFrom(...Array.from('gkmwyzGKMWYZ'));
const secrets = fc.string({
  unit: fc.oneof(
    letters,
    fc.constantFrom(...Array.from(' @/"\'\\&<>+%=äß€😀\u{10ffff}'), '%41', '&amp;', '\\u0042'),
  ),
  minLength: 4,
  maxLength: 200,
});
/** Surroundings in which no escape seems to begin or end. */
const surroundings = fc.string({
  unit: fc.constantFrom(...Array.from('.,:;=!?()[]{} \n'), '100 % ', 'C:\\ '),
  maxLength: 20,
});

describe('redact', () => {
  test('leaves nothing of a secret, in any spelling, wherever it is', () => {
    fc.assert(
      fc.property(secrets, spelling, surroundings, surroundings, (secret, spell, before, after) => {
        const text = `${before}${spell(secret)} ${after}`;
        const redacted = { [REDACTED]: [{ a: REDACTED }] };
        expect(redact({ [text]: [{ a: text }] }, ['another secret', secret])).toEqual(redacted);
      }),
      { numRuns: 500 },
    );
  });

  test('changes nothing without a secret, though all of one but its last letter be there', () => {
    const words = fc.string({ unit: letters, minLength: 5, maxLength: 50 });
    fc.assert(
      fc.property(words, spelling, surroundings, surroundings, (secret, spell, before, after) => {
        const text = `${before}${spell(secret.slice(0, -1))} ${after}`;
        expect(redact({ [text]: [text] }, [secret])).toEqual({ [text]: [text] });
      }),
      { numRuns: 300 },
    );
  });
});

describe('redact changes nothing', () => {
  test.each<[string, unknown, string[]]>([
    ['without secrets', { a: ['5ecret', 1, true, null] }, []],
    ['with an empty secret', 'any text', ['']],
    ['with a secret of fewer than four characters, which occurs by chance', 'abc abc', ['abc']],
    ['if the secret does not occur', ['5ecre', { t: '6ecret' }], ['5ecret']],
    ['in values that are not strings', [null, true, false, 0, 1.5, {}, []], ['null', 'true', 'false']],
    ['in escapes that contain no secret', 'a%2Fb+c \\u0041 \\" &amp; &#1114112; %', ['5ecret']],
    ['in a third layer of escapes', 'key%25252D1-key', ['key-1-key']],
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
  test.each(['key=c4', 'y=c4n4ry-5ecre', '4ry-5', 'c4n4ry-5ecret', '5ecret!', 't!!!', 'redacted', '4242'])(
    'that is %j and matches a part of a secret changes nothing',
    (token) => {
      const secrets = ['c4n4ry-5ecret', '424242'];
      const messages = ['key=c4n4ry-5ecret!!!', { 'c4n4ry-5ecret': '424242' }, 424_242];
      expect(redact(messages, [...secrets, token])).toEqual([REDACTED, { [REDACTED]: REDACTED }, REDACTED]);
    },
  );
});

describe('the messages of a rejected call', () => {
  const gateway = useGateway({
    env: { SHIPMENT_PARAMETERS: JSON.stringify({ Key: 'p@ss "word"/1' }), ...parametersInQuery },
    toDocumentedForm: parametersInBody,
  });

  const rejectionWith = async (messages: string) => {
    gateway.injectFaults({ status: 400, body: `{"messages":${messages}}` });
    const { errors } = await gateway.execute(TRACK, { variables: { input: shipmentCalls[0]?.input } });
    expect(gateway.takeCalls().length).toBe(1);
    return errors?.map(({ extensions }) => extensions);
  };

  test('reach the client, but for texts with a fixed parameter', async () => {
    const messages = [
      'There is no account.',
      'There is no account p@ss "word"/1.',
      '?Key=p%40ss+%22word%22%2F1',
    ];
    expect(await rejectionWith(JSON.stringify(messages))).toEqual([
      {
        code: 'SERVICE_REJECTED',
        outcome: 'NOT_APPLIED',
        retryable: false,
        status: 400,
        serviceMessages: ['There is no account.', REDACTED, REDACTED],
        requestId: expect.any(String) as string,
      },
    ]);
  });

  test('are searched for secrets before they are cut', async () => {
    const messages = [`${'x'.repeat(995)} p@ss "word"/1`];
    expect(await rejectionWith(JSON.stringify(messages))).toMatchObject([{ serviceMessages: [REDACTED] }]);
  });
});
