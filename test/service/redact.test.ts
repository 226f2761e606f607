import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collectScalars, redact } from '../../src/service/redact.js';
import { TRACK } from '../support/graphql/documents.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { parametersInBody, shipmentCalls } from '../support/graphql/shipmentOperations.js';

describe('redact replaces', () => {
  test.each<[string, unknown, string[], unknown]>([
    ['a string that is a secret', '5ecret', ['5ecret'], '[redacted]'],
    ['every occurrence', 'a 5ecret, 5ecret5ecret', ['5ecret'], 'a [redacted], [redacted][redacted]'],
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

  test('a number that is a secret', () => {
    expect(redact({ pin: 48_151_623 }, collectScalars({ Pin: 48_151_623 }))).toEqual({ pin: '[redacted]' });
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
