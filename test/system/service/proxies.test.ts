/** The way to a service that demands a client certificate, through the proxy of others: TLS is end to end. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { post } from '../../support/http/post.js';
import { AUDIENCE, ISSUER, startIssuer } from '../../support/http/clientCredentials.js';
import { about, failure, success } from '../../support/graphql/faultOperations.js';
import { fieldNames } from '../../support/graphql/rootFields.js';
import {
  createAuthority,
  type Authority,
  type IssuedCertificate,
} from '../../support/process/certificates.js';
import { startTinyproxy, type EgressProxy } from '../../support/process/egressProxies.js';
import { parseLogLines, startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { productionEnv } from '../../support/process/minimalEnv.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { statusFault, unreachable } from '../../support/service/faultCases.js';
import { startFaultProxy } from '../../support/service/faultProxy.js';
import { startFaultServer, type FaultServer } from '../../support/service/faultServer.js';
import { startTlsTerminator, type TlsTerminator } from '../../support/service/tlsTerminator.js';
import { startCollector } from '../../support/telemetry/collector.js';
import { untilHolds } from '../../support/tools/waiting.js';

skipIf(reasonToSkip('openssl', 'tinyproxy'));

const PASSWORD = '5ecret-of-the-proxy';

let authority: Authority;
let server: IssuedCertificate;
let client: IssuedCertificate;
let service: FaultServer;
let tls: TlsTerminator;
beforeAll(async () => {
  authority = createAuthority();
  server = authority.issue('freight.test', { names: 'DNS:freight.test,DNS:localhost' });
  client = authority.issue('gateway');
  service = await startFaultServer();
  tls = await startTlsTerminator(service.url, {
    cert: server.cert,
    key: server.key,
    ca: authority.cert,
    requestCert: true,
  });
});
afterEach(() => {
  service.plan = () => undefined;
  killProcesses();
});
afterAll(async () => {
  await tls.stop();
  await service.stop();
  authority.stop();
});

/** A gateway that trusts the authority, and presents its certificate. */
async function startGateway(env: Record<string, string>) {
  const gateway = startGatewayProcess({
    env: {
      ...productionEnv,
      ANONYMOUS_CLIENTS: 'allow',
      LOG_LEVEL: 'debug',
      NODE_EXTRA_CA_CERTS: authority.certFile,
      SERVICE_CLIENT_CERT_FILE: client.certFile,
      SERVICE_CLIENT_KEY_FILE: client.keyFile,

      ...env,
    },
  });
  const origin = await gateway.listening();
  return {
    execute: async (...[field, subject]: Parameters<typeof about>) => {
      const { data, errors } = await post(`${origin}/graphql`, about(field, subject), { token: 'robin' });
      return { data, errors };
    },
    /** The lines about failed connections, once there are as many. */
    failures: async (count: number) => {
      const lines = () =>
        parseLogLines(gateway.output()).flatMap(({ msg, origin: to, proxy, reason }) =>
          msg === 'Connection to the service failed' ? [{ origin: to, proxy, reason }] : [],
        );
      await untilHolds(() => expect(lines().length).toBe(count));
      return lines();
    },
    output: () => gateway.output(),
  };
}

describe('through tinyproxy,', () => {
  let proxy: EgressProxy;
  beforeEach(async () => {
    proxy = await startTinyproxy({ user: 'gate', password: PASSWORD, targetPort: tls.port });
  });
  afterEach(() => proxy.stop());

  test('reads, lists, writes, retries and reads after writes reach the service, whose rejection is not taken for that of the proxy', async () => {
    const url = `https://localhost:${tls.port}`;
    const gateway = await startGateway({
      HTTPS_PROXY: `http://gate:${PASSWORD}@${proxy.address}`,
      SERVICE_URL: url,
      SHIPMENT_SERVICE_URL: 'https://localhost:1',
    });
    const connected = tls.connections.length;
    const ofNotifications = fieldNames.filter(
      (field) => field !== 'trackShipment' && field !== 'deleteException',
    );
    for (const field of ofNotifications)
      expect(await gateway.execute(field, field)).toEqual(success(field, field));

    service.plan = ({ method, before }) => (method === 'GET' && before === 0 ? statusFault(503) : undefined);
    expect(await gateway.execute('notification', 'retried')).toEqual(success('notification', 'retried'));
    service.plan = ({ method }) => (method === 'DELETE' ? statusFault(500) : undefined);
    await gateway.execute('deleteNotification', 'read back');
    const methodsOf = (subject: string) =>
      service.requests.filter((request) => request.subject === subject).map(({ method }) => method);
    expect(methodsOf('retried')).toEqual(['GET', 'GET']);
    expect(methodsOf('read back')).toEqual(['DELETE', 'GET']);

    const tunnels = tls.connections.slice(connected);
    expect(tunnels.length).toBeGreaterThan(0);
    for (const tunnel of tunnels)
      expect(tunnel).toMatchObject({ client: 'gateway', servername: 'localhost' });

    // A port that the proxy does not allow.
    expect(await gateway.execute('trackShipment', 'any')).toEqual(failure('trackShipment', unreachable));
    expect(await gateway.failures(1)).toEqual([
      {
        origin: 'https://localhost:1',
        proxy: `http://${proxy.address}`,
        reason: 'The proxy responded with status 403',
      },
    ]);
    expect(gateway.output()).not.toContain(PASSWORD);
    expect(gateway.output()).not.toContain(Buffer.from(`gate:${PASSWORD}`).toString('base64'));
  });
});

test('through a proxy with TLS, the proxy resolves the name of the service, and does not get the certificate of the gateway', async () => {
  const proxy = await startFaultProxy({ 'freight.test': '127.0.0.1' });
  const { cert, key } = authority.issue('localhost');
  const secure = await startTlsTerminator(proxy.url, { cert, key });
  const gateway = await startGateway({
    HTTPS_PROXY: `https://localhost:${secure.port}`,
    SERVICE_URL: `https://freight.test:${tls.port}`,
    NO_PROXY: 'localhost,127.0.0.1',
  });
  const connected = tls.connections.length;
  expect(await gateway.execute('createNotification', 'secure')).toEqual(
    success('createNotification', 'secure'),
  );
  expect(proxy.requests.map(({ target }) => target)).toEqual([`freight.test:${tls.port}`]);
  expect(secure.connections).toEqual([{ client: undefined, servername: 'localhost' }]);
  expect(tls.connections.slice(connected)).toEqual([{ client: 'gateway', servername: 'freight.test' }]);
  await secure.stop();
  await proxy.stop();
});

test('a name with a dot at its end is verified without the dot (RFC 6066 §3)', async () => {
  const proxy = await startFaultProxy({ 'freight.test.': '127.0.0.1' });
  const gateway = await startGateway({
    HTTPS_PROXY: proxy.url,
    SERVICE_URL: `https://freight.test.:${tls.port}`,
  });
  expect(await gateway.execute('notification', 'any')).toEqual(success('notification', 'any'));
  expect(tls.connections.at(-1)).toMatchObject({ servername: 'freight.test' });
  await proxy.stop();
});

test('the issuer of JWTs and the trace collector are reached through the proxy, and with the certificates that the service has', async () => {
  const proxy = await startFaultProxy({ 'issuer.test': '127.0.0.1', 'collector.test': '127.0.0.1' });
  const issuer = await startIssuer();
  const collector = await startCollector();
  const { cert, key } = authority.issue('others', { names: 'DNS:issuer.test,DNS:collector.test' });
  const terminators = await Promise.all(
    [issuer, collector].map(({ url }) => startTlsTerminator(new URL(url).origin, { cert, key })),
  );
  const [ofIssuer, ofCollector] = terminators.map(({ port }) => port);
  const gateway = await startGateway({
    HTTPS_PROXY: proxy.url,
    SERVICE_URL: `https://localhost:${tls.port}`,
    CLIENT_JWKS_URL: `https://issuer.test:${ofIssuer}/jwks`,
    CLIENT_JWT_ISSUER: ISSUER,
    CLIENT_JWT_AUDIENCE: AUDIENCE,
    OTEL_EXPORTER_OTLP_ENDPOINT: `https://collector.test:${ofCollector}`,
    OTEL_BSP_SCHEDULE_DELAY: '1',
  });
  await gateway.execute('notification', 'any');
  await untilHolds(() => {
    expect(issuer.requests()).toBe(1);
    expect(collector.spans.length).toBeGreaterThan(0);
  });
  const targets = proxy.requests.map(({ target }) => target);
  expect(targets).toEqual(
    expect.arrayContaining([`issuer.test:${ofIssuer}`, `collector.test:${ofCollector}`]),
  );
  expect(gateway.output()).not.toMatch(/unavailable/);
  // Neither gets the certificate that is for the service.
  for (const { connections } of terminators)
    expect(connections.map(({ client: name }) => name)).toEqual(connections.map(() => undefined));
  for (const each of [...terminators, issuer, collector, proxy]) await each.stop();
});
