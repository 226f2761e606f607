/** Clients that the gateway knows by a credential, and what they alone may do: use the operator's secrets. */
import { createHmac, randomUUID } from 'node:crypto';
import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { FieldEntry } from '../../src/fields/selections.js';
import { writes } from '../../src/fields/writes.js';
import { startGateway, TOKEN, useGateway, type TestGateway } from '../support/gateway/gateway.js';
import { bulkFields, bulkOperation, itemAbout } from '../support/graphql/bulkFields.js';
import { asVariables, validArguments, type FieldName } from '../support/graphql/rootFields.js';
import { AUDIENCE, ISSUER, keyLine, startIssuer, writeKeysFile } from '../support/http/clientCredentials.js';
import { startCollector } from '../support/telemetry/collector.js';
import { scrape } from '../support/telemetry/metrics.js';
import { freePort } from '../support/tools/freePort.js';
import { forTest, useStarted } from '../support/tools/useStarted.js';
import { until, untilHolds } from '../support/tools/waiting.js';

const KEY = 'canary-key-of-the-warehouse-0123456789';
const SUBGRAPH_TOKEN = 'a-subgraph-token-of-thirty-two-characters';
const SECRET = 'canary-secret-of-the-operator';
const SHIPMENT_PARAMETERS = JSON.stringify({ apiKey: SECRET });
const ROUTES =
  '"X-Client-Key: <key>" or "Authorization: Bearer <JWT>" or "X-Client-Authorization: Bearer <JWT>"';
const expected = (got: string) => `Expected the header ${ROUTES}, got ${got}`;
const requestId = expect.any(String) as string;

/** The fields whose calls have the operator's secrets: those that bring no token of their own. */
const mutations: Record<string, FieldEntry> = writes;
const usesSecrets = (name: string) => mutations[name]?.operation?.token === 'optional';
const single = Object.keys(mutations).filter(
  (name): name is FieldName => usesSecrets(name) && mutations[name]?.items === undefined,
);
const bulk = bulkFields.filter(([many]) => usesSecrets(many));

const issuer = useStarted(startIssuer);
const collector = useStarted(startCollector);
const keysFile = writeKeysFile(`# The warehouse.\n\n${keyLine('warehouse', KEY)}\n`, afterAll);
let metricsUrl: string;
const gateway = useGateway(async () => {
  const metricsPort = await freePort();
  metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
  return {
    env: { ...environment(), METRICS_PORT: String(metricsPort), OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  };
});
beforeEach(() => {
  gateway.takeCalls();
});

/** Of a gateway that knows clients, each way. */
function environment(env: Record<string, string> = {}): Record<string, string> {
  return {
    SHIPMENT_PARAMETERS,
    SUBGRAPH_TOKEN,
    CLIENT_KEYS_FILE: keysFile,
    CLIENT_JWKS_URL: issuer.url,
    CLIENT_JWT_ISSUER: ISSUER,
    CLIENT_JWT_AUDIENCE: AUDIENCE,
    ANONYMOUS_CLIENTS: '',
    IDEMPOTENCY_STORE: 'memory',
    ...env,
  };
}

const start = (env: Record<string, string>) => forTest(startGateway({ env }));

/** Sends a field with valid arguments, without a token of the service. */
function send(field: FieldName, headers: Record<string, string>, selection?: string, at = gateway) {
  return at.execute(asVariables(field, validArguments(field), selection), { token: null, headers });
}
const sendBulk = (many: string, one: FieldName, headers: Record<string, string>) => {
  const operation = bulkOperation(many, [itemAbout(one, 'REF-1001'), itemAbout(one, 'REF-1002')]);
  return gateway.execute(operation, { token: null, headers });
};

const REPORT = '{ outcome evidence errors { code message retryable } }';
const failed = (message: string, code = 'UNAUTHENTICATED', retryable = false) => ({
  outcome: 'NOT_APPLIED',
  evidence: 'NOT_SENT',
  errors: [{ code, message, retryable }],
});
/** What a field has of a client, as data and as an error: nothing is sent. */
async function expectRejected(
  field: FieldName,
  headers: Record<string, string>,
  message: string,
  at = gateway,
): Promise<void> {
  const asData = await send(field, headers, REPORT, at);
  expect({ data: asData.data, errors: asData.errors }).toEqual({
    data: { [field]: failed(message) },
    errors: undefined,
  });
  const asError = await send(field, headers, undefined, at);
  expect({ data: asError.data, errors: asError.errors }).toEqual({
    data: { [field]: null },
    errors: [
      {
        message,
        locations: [expect.anything()],
        path: [field],
        extensions: { code: 'UNAUTHENTICATED', outcome: 'NOT_APPLIED', retryable: false, requestId },
      },
    ],
  });
  expect(at.takeCalls()).toEqual([]);
}

const credentials: [name: string, headers: Record<string, string>, got: string][] = [
  ['no credential', {}, 'none'],
  ['an unknown key', { 'x-client-key': `${KEY}x` }, 'an unknown key'],
  ['an empty key', { 'x-client-key': '' }, 'an unknown key'],
  ['the digest of a key', { 'x-client-key': keyLine('', KEY).trim() }, 'an unknown key'],
  ['a key twice', { 'x-client-key': `${KEY}, ${KEY}` }, 'an unknown key'],
  [
    'a wrong key next to the token of the service',
    { 'x-client-key': 'x', authorization: `Bearer ${TOKEN}` },
    'an unknown key',
  ],
  ['the token of the service', { authorization: `Bearer ${TOKEN}` }, 'no valid JWT'],
  ['another scheme', { 'x-client-authorization': `Basic ${KEY}` }, 'no bearer token'],
  ['a wrong subgraph token', { 'x-subgraph-token': `${SUBGRAPH_TOKEN}x` }, 'none'],
];

describe.each(single)('%s, whose call has secrets of the operator,', (field) => {
  test.each(credentials)('is UNAUTHENTICATED and sends nothing with %s', async (_name, headers, got) => {
    await expectRejected(field, headers, expected(got));
  });

  test('is sent for a client with a key, which does not leave the gateway', async () => {
    const { errors } = await send(field, { 'x-client-key': KEY });
    expect(errors).toBeUndefined();
    const [call, ...others] = gateway.takeCalls();
    expect(others).toEqual([]);
    expect(call?.body).toContain(SECRET);
    expect(JSON.stringify(call?.headers)).not.toMatch(/x-client|canary/i);
  });

  test('is rejected as a dry run, too', async () => {
    const dryRun = await send(field, { 'x-gateway-dry-run': '1' }, REPORT);
    expect(dryRun.data).toEqual({ [field]: failed(expected('none')) });
    expect(gateway.takeCalls()).toEqual([]);
  });

  test('does not use up an idempotency key for an unknown client', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    expect((await send(field, headers, REPORT)).data).toEqual({ [field]: failed(expected('none')) });
    gateway.injectFaults({ body: 'true' });
    const { data } = await send(field, { ...headers, 'x-client-key': KEY }, REPORT);
    expect(data).toEqual({ [field]: { outcome: 'APPLIED', evidence: 'RESPONSE', errors: [] } });
    const repeated = await send(field, headers, REPORT);
    expect(repeated.data).toEqual({ [field]: failed(expected('none')) });
    expect(gateway.takeCalls().length).toBe(1);
  });
});

describe.each(bulk)('%s', (many, one) => {
  test('has an item that is UNAUTHENTICATED for each of an unknown client, and sends nothing', async () => {
    const { data } = await sendBulk(many, one, {});
    const item = expect.objectContaining({
      outcome: 'NOT_APPLIED',
      evidence: 'NOT_SENT',
      errors: [expect.objectContaining({ code: 'UNAUTHENTICATED', message: expected('none') })],
    }) as object;
    expect(data).toEqual({ [many]: { results: [item, item], applied: 0, notApplied: 2, unknown: 0 } });
    expect(gateway.takeCalls()).toEqual([]);
  });

  test('sends its items for a known client', async () => {
    await sendBulk(many, one, { 'x-client-key': KEY });
    expect(gateway.takeCalls().map(({ body }) => body.includes(SECRET))).toEqual([true, true]);
  });
});

describe('A JWT', () => {
  const past = () => Math.floor(Date.now() / 1000) - 60;
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const unsigned = (header: object, claims: object = {}) =>
    `${encode(header)}.${encode({ iss: ISSUER, aud: AUDIENCE, sub: 'x', exp: 9_999_999_999, ...claims })}`;

  test.each<[string, () => Promise<string>, string]>([
    ['that has expired', () => issuer.sign({ exp: past() }), 'an expired JWT'],
    ['without an end', () => issuer.sign({ exp: undefined }), 'a JWT without the claim exp'],
    [
      'that is not valid yet',
      () => issuer.sign({ nbf: past() + 3600 }),
      'a JWT with another value of the claim nbf',
    ],
    [
      'for another audience',
      () => issuer.sign({ aud: 'other' }),
      'a JWT with another value of the claim aud',
    ],
    ['without an audience', () => issuer.sign({ aud: undefined }), 'a JWT without the claim aud'],
    [
      'of another issuer',
      () => issuer.sign({ iss: 'https://other' }),
      'a JWT with another value of the claim iss',
    ],
    ['without a subject', () => issuer.sign({ sub: undefined }), 'a JWT without the claim sub'],
    ['with an empty subject', () => issuer.sign({ sub: '' }), 'a JWT with another value of the claim sub'],
    [
      'with a key ID that the key set does not have',
      () => issuer.sign({}, 'other'),
      'a JWT that no key of its issuer verifies',
    ],
    [
      'of the key of somebody else',
      async () => {
        return (await forTest(startIssuer())).sign();
      },
      'a JWT that no key of its issuer verifies',
    ],
    [
      'with alg none',
      () => Promise.resolve(`${unsigned({ alg: 'none', kid: 'key-1' })}.`),
      'a JWT that no key of its issuer verifies',
    ],
    [
      'with HS256, and the public key as its secret',
      () => {
        const signed = unsigned({ alg: 'HS256', kid: 'key-1' });
        const signature = createHmac('sha256', JSON.stringify(issuer.publicKey))
          .update(signed)
          .digest('base64url');
        return Promise.resolve(`${signed}.${signature}`);
      },
      'a JWT that no key of its issuer verifies',
    ],
    [
      'with another payload than the one that was signed',
      async () => {
        const [header = '', , signature = ''] = (await issuer.sign()).split('.');
        return `${header}.${encode({ iss: ISSUER, aud: AUDIENCE, sub: 'admin', exp: 9_999_999_999 })}.${signature}`;
      },
      'a JWT that no key of its issuer verifies',
    ],
    ['that is none', () => Promise.resolve('a.b.c'), 'no valid JWT'],
  ])('%s is UNAUTHENTICATED in either header, and nothing is sent', async (_name, create, got) => {
    const token = await create();
    for (const header of ['authorization', 'x-client-authorization'])
      await expectRejected('trackShipment', { [header]: `Bearer ${token}` }, expected(got));
  });

  test('in Authorization is forwarded to the service, as a token is', async () => {
    const authorization = `Bearer ${await issuer.sign()}`;
    expect((await send('trackShipment', { authorization })).errors).toBeUndefined();
    expect(gateway.takeCalls().map(({ headers }) => headers.authorization)).toEqual([authorization]);
  });

  test('in X-Client-Authorization is not, and leaves Authorization to the service', async () => {
    const headers = {
      'x-client-authorization': `Bearer ${await issuer.sign()}`,
      authorization: `Bearer ${TOKEN}`,
    };
    expect((await send('trackShipment', headers)).errors).toBeUndefined();
    const [call] = gateway.takeCalls();
    expect(call?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(Object.keys(call?.headers ?? {})).not.toContain('x-client-authorization');
  });

  test.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('of the algorithm %s is verified', async (alg) => {
    const other = await forTest(startIssuer(alg));
    const at = await start(environment({ CLIENT_JWKS_URL: other.url }));
    const headers = { authorization: `Bearer ${await other.sign({ aud: ['other', AUDIENCE] })}` };
    expect((await send('trackShipment', headers, undefined, at)).errors).toBeUndefined();
  });
});

describe('Calls without secrets of the operator', () => {
  test('are made for everybody: those of notifications, which bring a token of their own', async () => {
    for (const headers of [{}, { 'x-client-key': 'wrong' }, { 'x-client-authorization': 'Bearer wrong' }])
      await gateway.data('{ notifications { messages } }', { headers });
    expect(gateway.takeCalls().map(({ headers }) => headers.authorization)).toEqual(
      Array(3).fill(`Bearer ${TOKEN}`),
    );
  });

  test('are made for everybody if the operator has no fixed secrets', async () => {
    const at = await start(environment({ SHIPMENT_PARAMETERS: '' }));
    for (const headers of [{}, { 'x-client-key': 'wrong' }, { authorization: 'Bearer wrong' }])
      expect((await send('trackShipment', headers, undefined, at)).errors).toBeUndefined();
  });
});

describe('The secrets of the operator are used', () => {
  test('by a router with the subgraph token, also without any other way to know clients', async () => {
    const at = await start({ SHIPMENT_PARAMETERS, SUBGRAPH_TOKEN, ANONYMOUS_CLIENTS: '' });
    const headers = { 'x-subgraph-token': SUBGRAPH_TOKEN };
    for (const each of [gateway, at]) {
      expect((await send('trackShipment', headers, undefined, each)).errors).toBeUndefined();
      expect(each.takeCalls().map(({ body }) => body.includes(SECRET))).toEqual([true]);
    }
    await expectRejected('trackShipment', {}, 'Expected the header "X-Subgraph-Token", got none', at);
  });

  test('by anonymous clients with ANONYMOUS_CLIENTS=allow, but not with a wrong credential', async () => {
    const at = await start(environment({ ANONYMOUS_CLIENTS: 'allow' }));
    for (const headers of [{}, { authorization: `Bearer ${TOKEN}` }])
      expect((await send('trackShipment', headers, undefined, at)).errors).toBeUndefined();
    at.takeCalls();
    await expectRejected('trackShipment', { 'x-client-key': 'x' }, expected('an unknown key'), at);
  });

  test('by everybody outside production, where no way to know clients is configured', async () => {
    const at = await start({ NODE_ENV: 'development', SHIPMENT_PARAMETERS, ANONYMOUS_CLIENTS: '' });
    expect((await send('trackShipment', {}, undefined, at)).errors).toBeUndefined();
  });
});

describe('The file of keys is read again', () => {
  const NEXT_KEY = 'the-next-key-of-the-warehouse-0123456789';
  const accepts = async (at: TestGateway, key: string) =>
    (await send('trackShipment', { 'x-client-key': key }, undefined, at)).errors === undefined;

  test('when its content changes, and an invalid one leaves the keys as they were', async () => {
    const file = writeKeysFile(`${keyLine('warehouse', KEY)}\n`);
    const at = await start(environment({ CLIENT_KEYS_FILE: file }));
    expect([await accepts(at, KEY), await accepts(at, NEXT_KEY)]).toEqual([true, false]);
    writeFileSync(file, `${keyLine('warehouse', KEY)}\n${keyLine('warehouse', NEXT_KEY)}\n`);
    await until(() => accepts(at, NEXT_KEY));
    expect(await accepts(at, KEY)).toBe(true);
    writeFileSync(file, `warehouse ${NEXT_KEY}\n`);
    await untilHolds(() => {
      expect(at.logLines).toContainEqual(
        expect.objectContaining({
          level: 50,
          msg: 'Invalid CLIENT_KEYS_FILE: keeping the previous keys',
          reason: 'line 1: expected a name, a space, and the SHA-256 of a key in hexadecimal',
        }),
      );
    });
    rmSync(file);
    await until(() => JSON.stringify(at.logLines).includes('which does not exist (ENOENT)'));
    expect([await accepts(at, KEY), await accepts(at, NEXT_KEY)]).toEqual([true, true]);
    writeFileSync(file, `${keyLine('warehouse', NEXT_KEY)}\n`);
    await until(async () => !(await accepts(at, KEY)));
    expect(JSON.stringify(at.logLines)).not.toMatch(/warehouse-0123|[\da-f]{64}/);
  });

  test('when Kubernetes replaces the link to it', async () => {
    const before = writeKeysFile(`${keyLine('warehouse', KEY)}\n`);
    const after = writeKeysFile(`${keyLine('warehouse', NEXT_KEY)}\n`);
    const link = `${dirname(before)}/..data`;
    symlinkSync(dirname(before), link);
    const at = await start(environment({ CLIENT_KEYS_FILE: `${link}/keys` }));
    expect(await accepts(at, KEY)).toBe(true);
    symlinkSync(dirname(after), `${link}_tmp`);
    renameSync(`${link}_tmp`, link);
    await until(() => accepts(at, NEXT_KEY));
    expect(await accepts(at, KEY)).toBe(false);
  });
});

describe('The name of a client', () => {
  test('is in the log and the span of its requests, and no credential is there or in the metrics', async () => {
    const token = await issuer.sign({ sub: 'driver-app|42' });
    gateway.logLines.length = 0;
    collector.spans.length = 0;
    const requests: [headers: Record<string, string>, client?: string, credential?: string][] = [
      [{ 'x-client-key': KEY }, 'warehouse', 'key'],
      [{ 'x-client-authorization': `Bearer ${token}` }, 'driver-app|42', 'jwt'],
      [{ authorization: `Bearer ${token}` }, 'driver-app|42', 'jwt'],
      [{ 'x-subgraph-token': SUBGRAPH_TOKEN }, 'router', 'subgraph'],
      [{ 'x-client-key': `${KEY}-wrong` }],
      [{}],
    ];
    for (const [headers] of requests) await send('trackShipment', { ...headers, 'x-gateway-trace': '1' });
    const lines = gateway.logLines.filter(({ msg }) => msg === 'Request');
    expect(lines.map(({ client, credential }) => [client, credential])).toEqual(
      requests.map(([, client, credential]) => [client, credential]),
    );
    const spansOfRequests = () => collector.spans.filter(({ name }) => name === 'POST /graphql');
    await until(() => spansOfRequests().length === requests.length);
    expect(spansOfRequests().map(({ attributes }) => attributes['gateway.client'])).toEqual(
      requests.map(([, client]) => client),
    );
    const metrics = await scrape(metricsUrl);
    const written = JSON.stringify([gateway.logLines, collector.requests, Object.keys(metrics)]);
    const [, , signature = ''] = token.split('.');
    for (const secret of [KEY, SECRET, signature, SUBGRAPH_TOKEN]) expect(written).not.toContain(secret);
  });
});
