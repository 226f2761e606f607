import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collectScalars, redact } from '../../src/service/redact.js';
import { TRACK } from '../support/graphql/documents.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { parametersInBody, shipmentCalls } from '../support/graphql/shipmentOperations.js';

describe('secrets are taken out of what the service says', () => {
  test.each<[string, unknown, string[], unknown]>([
    ['a text that is a secret', '5ecret', ['5ecret'], '[redacted]'],
    ['every occurrence', 'a 5ecret, 5ecret5ecret', ['5ecret'], 'a [redacted], [redacted][redacted]'],
    ['a secret in another case', 'the 5eCRET', ['5ecret'], 'the [redacted]'],
    ['several secrets', 'key-one, key-two', ['key-one', 'key-two'], '[redacted], [redacted]'],
    ['texts within lists and objects', [{ a: ['x 5ecret'] }], ['5ecret'], [{ a: ['x [redacted]'] }]],
    ['names of members', { 'the 5ecret': 1 }, ['5ecret'], { 'the [redacted]': 1 }],
    ['characters that mean something in patterns', 'x (a+b)$& y', ['(a+b)$&'], 'x [redacted] y'],
  ])('%s', (_name, said, secrets, redacted) => {
    expect(redact(said, secrets)).toEqual(redacted);
  });

  test.each<[string, unknown, string[]]>([
    ['without a secret', { a: ['5ecret', 1, true, null] }, []],
    ['with an empty one', 'any text', ['']],
    ['with one of less than four characters, which stands anywhere by chance', 'abc abc', ['abc']],
    ['where it does not occur', ['5ecre', { t: '6ecret' }], ['5ecret']],
    ['that are no text', [null, true, false, 0, 1.5, {}, []], ['null', 'true', 'false']],
    ['with a name that reaches into prototypes', JSON.parse('{"__proto__":{"a":"b"}}'), ['5ecret']],
  ])('values stay as they are %s', (_name, said, secrets) => {
    const before = JSON.stringify(said);
    expect(JSON.stringify(redact(said, secrets))).toBe(before);
  });

  test('what was given is not changed', () => {
    const said = { a: ['5ecret'] };
    redact(said, ['5ecret']);
    expect(said).toEqual({ a: ['5ecret'] });
  });

  test('a secret that holds another one goes as a whole, in whatever order they are', () => {
    const secrets = ['acme', 'acme-7f3d9'];
    expect(redact('unknown key acme-7f3d9', secrets)).toBe('unknown key [redacted]');
    expect(redact('unknown key acme-7f3d9', secrets.toReversed())).toBe('unknown key [redacted]');
  });

  test('a number that is a secret', () => {
    expect(redact({ pin: 48_151_623 }, collectScalars({ Pin: 48_151_623 }))).toEqual({ pin: '[redacted]' });
  });
});

test.each<[unknown, string[]]>([
  [{}, []],
  [{ Key: 'k', Pin: 1234, Flag: true, None: null }, ['k', '1234']],
  [{ Nested: { list: ['a', [2, { deep: 'c' }]] } }, ['a', '2', 'c']],
])('the secrets of the parameters %j are %j', (parameters, secrets) => {
  expect(collectScalars(parameters)).toEqual(secrets);
});

describe('what the service says when it refuses a call', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({
      env: { SHIPMENT_PARAMETERS: JSON.stringify({ Key: 'p@ss "word"/1' }), TRACKING_PARAMETERS_IN: 'query' },
      toDocumentedForm: parametersInBody,
    });
  });
  afterAll(() => gateway.stop());

  const refusalOf = async (messages: string) => {
    gateway.injectFaults({ status: 400, body: `{"messages":${messages}}` });
    const { errors } = await gateway.execute(TRACK, { variables: { input: shipmentCalls[0]?.input } });
    expect(gateway.takeCalls().length).toBe(1);
    return errors?.map(({ extensions }) => extensions);
  };

  test.each([
    ['as it is', 'There is no account p@ss "word"/1.', 'There is no account [redacted].'],
    [
      'as a query holds it',
      'There is no POST /x?Key=p%40ss+%22word%22%2F1',
      'There is no POST /x?Key=[redacted]',
    ],
    ['as JSON holds it', 'Cannot read {"Key":"p@ss \\"word\\"/1"}', 'Cannot read {"Key":"[redacted]"}'],
  ])('reaches the caller without a secret %s', async (_form, message, shown) => {
    expect(await refusalOf(JSON.stringify([message]))).toEqual([
      {
        code: 'SERVICE_REJECTED',
        outcome: 'NOT_APPLIED',
        retryable: false,
        status: 400,
        serviceMessages: [shown],
        requestId: expect.any(String) as string,
      },
    ]);
  });

  test('does not hide the refusal, however deep it is nested', async () => {
    expect(await refusalOf('['.repeat(10_000) + ']'.repeat(10_000))).toMatchObject([
      { code: 'SERVICE_REJECTED', outcome: 'NOT_APPLIED', retryable: false, status: 400 },
    ]);
  });
});
