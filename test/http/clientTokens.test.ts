/** The key set of an issuer of JWTs: how often it is fetched, how long it is used, which way, and what the log says of it. */
import { createServer, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startGateway } from '../support/gateway/gateway.js';
import { asVariables, validArguments } from '../support/graphql/rootFields.js';
import { AUDIENCE, ISSUER, startIssuer, type Issuer } from '../support/http/clientCredentials.js';
import { serve } from '../support/http/serve.js';
import { startFaultProxy } from '../support/service/faultProxy.js';
import { startCollector } from '../support/telemetry/collector.js';
import { forTest } from '../support/tools/useStarted.js';
import { until, untilHolds } from '../support/tools/waiting.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const UNAVAILABLE = 'Key set of JWTs unavailable';
const AVAILABLE = 'Key set of JWTs available';

let issuer: Issuer;
beforeEach(async () => {
  issuer = await forTest(startIssuer());
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
});
afterEach(() => void vi.useRealTimers());

/** A gateway in front of which only JWTs make clients known. */
async function start(env: Record<string, string> = {}) {
  const variables = {
    SHIPMENT_PARAMETERS: '{"apiKey":"secret-of-the-operator"}',
    CLIENT_JWKS_URL: issuer.url,
    CLIENT_JWT_ISSUER: ISSUER,
    CLIENT_JWT_AUDIENCE: AUDIENCE,
    ANONYMOUS_CLIENTS: '',
  };
  const gateway = await forTest(startGateway({ env: { ...variables, ...env } }));
  const execute = async (token: string, selection: string) => {
    const operation = asVariables('trackShipment', validArguments('trackShipment'), selection);
    const headers = { 'x-client-authorization': `Bearer ${token}` };
    const { data } = await gateway.execute(operation, { token: null, headers });
    return (data as { trackShipment: { outcome: string; errors: object[] } }).trackShipment;
  };
  return {
    gateway,
    /** APPLIED, or the code of the error of a client that sent this token. */
    outcome: async (token: string) => {
      const { outcome, errors } = await execute(token, '{ outcome errors { code } }');
      return errors.length === 0 ? outcome : Object.values(errors[0] ?? {}).join();
    },
    errors: async (token: string) =>
      (await execute(token, '{ outcome errors { code message retryable retryAfterSeconds } }')).errors,
    /** What the log says of the key set. */
    lines: () =>
      gateway.logLines
        .filter(({ msg }) => /Key set/.test(String(msg)))
        .map(({ level, msg, reason }) => ({ level, msg, reason })),
  };
}

/** Valid for a day, and unlike any other, so that its verification is not remembered. */
const newToken = (from = issuer, kid?: string) =>
  from.sign({ exp: Math.floor((Date.now() + 24 * HOUR_MS) / 1000), jti: Math.random() }, kid);

const unavailable = (reason: string) => ({ level: 40, msg: UNAVAILABLE, reason });
const available = { level: 30, msg: AVAILABLE, reason: undefined };

test('the last key set verifies clients for hours while the issuer is away, which the log says once', async () => {
  const { outcome, lines } = await start();
  expect(await outcome(await newToken())).toBe('APPLIED');
  issuer.isUp = false;
  for (let hours = 1; hours < 12; hours += 1) {
    vi.setSystemTime(Date.now() + HOUR_MS);
    for (let count = 0; count < 4; count += 1) expect(await outcome(await newToken())).toBe('APPLIED');
    await until(() => issuer.requests() === 1 + hours);
  }
  expect(lines()).toEqual([unavailable('Expected status 200, got 503')]);

  vi.setSystemTime(Date.now() + HOUR_MS);
  expect(await outcome(await newToken())).toBe('SERVICE_UNAVAILABLE');
  issuer.isUp = true;
  vi.setSystemTime(Date.now() + MINUTE_MS);
  expect(await outcome(await newToken())).toBe('APPLIED');
  expect(lines()).toEqual([unavailable('Expected status 200, got 503'), available]);
});

test('without a key set, clients are rejected as unverified, notifications are served, and afterwards clients are verified', async () => {
  issuer.isUp = false;
  const { gateway, errors, outcome, lines } = await start();
  const token = await newToken();
  const message = 'The client cannot be verified at the moment: nothing was sent';
  const rejection = { code: 'SERVICE_UNAVAILABLE', message, retryable: true, retryAfterSeconds: 5 };
  for (let count = 0; count < 20; count += 1) expect(await errors(token)).toEqual([rejection]);
  expect(issuer.requests()).toBe(1);
  expect(gateway.takeCalls()).toEqual([]);
  await gateway.data('{ notifications { messages } }');

  issuer.isUp = true;
  vi.setSystemTime(Date.now() + 5000);
  expect(await outcome(token)).toBe('APPLIED');
  expect(issuer.requests()).toBe(2);
  expect(lines()).toEqual([unavailable('Expected status 200, got 503'), available]);
});

test.each([
  ['serves its key set', true, 'UNAUTHENTICATED'],
  ['is away', false, 'SERVICE_UNAVAILABLE'],
])(
  '20 made-up key IDs have the key set fetched once in five seconds if the issuer %s',
  async (_how, isUp, code) => {
    const { outcome } = await start();
    expect(await outcome(await newToken())).toBe('APPLIED');
    issuer.isUp = isUp;
    for (const fetches of [2, 3]) {
      vi.setSystemTime(Date.now() + 5001);
      for (let index = 0; index < 20; index += 1)
        expect(await outcome(await newToken(issuer, `made-up-${index}`))).toBe(code);
      expect(issuer.requests()).toBe(fetches);
    }
    expect(await outcome(await newToken())).toBe('APPLIED');
  },
);

test('two keys with one ID are tried in turn, and a token is rejected for what the key that signed it says', async () => {
  const [other, unpublished] = [await forTest(startIssuer()), await forTest(startIssuer())];
  issuer.keys = [other.publicKey, issuer.publicKey];
  const { outcome, errors } = await start();
  expect(await outcome(await newToken())).toBe('APPLIED');
  expect(await outcome(await newToken(other))).toBe('APPLIED');
  const messageOf = async (token: string) => JSON.stringify(await errors(token));
  expect(await messageOf(await issuer.sign({ exp: 1 }))).toContain('got an expired JWT');
  expect(await messageOf(await newToken(unpublished))).toContain('got a JWT that no key of its issuer');
});

test('a key that the issuer has withdrawn no longer verifies after the key set was fetched again', async () => {
  const next = await forTest(startIssuer());
  const { outcome } = await start();
  expect(await outcome(await newToken())).toBe('APPLIED');
  issuer.keys = [next.publicKey];
  vi.setSystemTime(Date.now() + 11 * MINUTE_MS);
  await outcome(await newToken()); // the last one, while the key set is fetched
  await untilHolds(async () => expect(await outcome(await newToken())).toBe('UNAUTHENTICATED'));
  expect(await outcome(await newToken(next))).toBe('APPLIED');
  expect(issuer.requests()).toBe(2);
});

test.each<[string, (response: ServerResponse) => void, string]>([
  ['is no key set', (response) => response.end('{"keys":[1]}'), 'ERR_JWKS_INVALID'],
  ['is a page', (response) => response.end('<p>secret of the page</p>'), 'Expected JSON'],
  ['is redirected', (response) => response.writeHead(302).end(), 'Expected status 200, got 302'],
  ['is reset', (response) => response.destroy(), 'ECONNRESET'],
  ['does not respond', () => undefined, 'No response within 3000 ms'],
])('the log says what is wrong at the start if the key set %s', async (_what, respond, reason) => {
  const { url } = await forTest(serve(createServer((_request, response) => respond(response))));
  const { lines } = await start({ CLIENT_JWKS_URL: url });
  await untilHolds(() => expect(lines()).toEqual([unavailable(reason)]));
});

test('issuer and trace collector are reached through the proxy, unless NO_PROXY names them', async () => {
  const collector = await forTest(startCollector());
  const hosts = { 'issuer.test': '127.0.0.1', 'collector.test': '127.0.0.1' };
  const proxy = await forTest(startFaultProxy(hosts));
  const named = (url: string, name: string) => url.replace('127.0.0.1', name);
  const env = {
    HTTP_PROXY: proxy.url,
    NO_PROXY: '127.0.0.1',
    CLIENT_JWKS_URL: named(issuer.url, 'issuer.test'),
    OTEL_EXPORTER_OTLP_ENDPOINT: named(collector.url, 'collector.test'),
  };
  const proxied = await start(env);
  expect(await proxied.outcome(await newToken())).toBe('APPLIED');
  await proxied.gateway.stop();
  expect(collector.spans.length).toBeGreaterThan(0);
  const targets = [env.CLIENT_JWKS_URL, env.OTEL_EXPORTER_OTLP_ENDPOINT].map((url) => new URL(url).host);
  expect(new Set(proxy.requests.map(({ target }) => target))).toEqual(new Set(targets));

  const direct = await start({
    ...env,
    CLIENT_JWKS_URL: issuer.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
  const before = proxy.requests.length;
  expect(await direct.outcome(await newToken())).toBe('APPLIED');
  expect(proxy.requests.length).toBe(before);
});
