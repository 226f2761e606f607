/** TLS with the service: a certificate that nobody trusts is explained, and the gateway presents one of its own, which files renew. */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { parseConfig, type ConfigError } from '../../../src/config/config.js';
import {
  createClientCertificate,
  expiryOf,
  type ClientCertificateEvent,
} from '../../../src/transport/clientCertificate.js';
import { post } from '../../support/http/post.js';
import { about, failure, success } from '../../support/graphql/faultOperations.js';
import { fieldNames } from '../../support/graphql/rootFields.js';
import {
  createAuthority,
  type Authority,
  type IssuedCertificate,
} from '../../support/process/certificates.js';
import { parseLogLines, MAIN, startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { productionEnv } from '../../support/process/minimalEnv.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { killProcesses, startProcess } from '../../support/process/startProcess.js';
import { statusFault, unreachable } from '../../support/service/faultCases.js';
import { startFaultServer, type FaultServer } from '../../support/service/faultServer.js';
import { startTlsTerminator, type TlsTerminator } from '../../support/service/tlsTerminator.js';
import { scrape } from '../../support/telemetry/metrics.js';
import { freePort } from '../../support/tools/freePort.js';
import { untilHolds } from '../../support/tools/waiting.js';

skipIf(reasonToSkip('openssl'));

const DAY_SECONDS = 86_400;

let authority: Authority;
let server: IssuedCertificate;
let service: FaultServer;
const terminators: TlsTerminator[] = [];
beforeAll(async () => {
  authority = createAuthority();
  server = authority.issue('localhost');
  service = await startFaultServer();
});
afterEach(async () => {
  service.plan = () => undefined;
  killProcesses();
  for (const each of terminators.splice(0)) await each.stop();
});
afterAll(async () => {
  await service.stop();
  authority.stop();
});

/** The service with TLS. */
async function startTls(options: Partial<Parameters<typeof startTlsTerminator>[1]> = {}) {
  const tls = await startTlsTerminator(service.url, {
    cert: server.cert,
    key: server.key,
    ca: authority.cert,
    ...options,
  });
  terminators.push(tls);
  return tls;
}

async function startGateway({ port }: TlsTerminator, env: Record<string, string> = {}) {
  const gateway = startGatewayProcess({
    env: {
      ...productionEnv,
      ANONYMOUS_CLIENTS: 'allow',
      SERVICE_URL: `https://localhost:${port}`,
      NODE_EXTRA_CA_CERTS: authority.certFile,
      SERVICE_RETRIES: '1',
      ...env,
    },
  });
  const origin = await gateway.listening();
  return {
    execute: async (...[field, subject]: Parameters<typeof about>) => {
      const { data, errors } = await post(`${origin}/graphql`, about(field, subject));
      return { data, errors };
    },
    /** The lines with this message, without what all lines have, once there are as many. */
    lines: async (message: string, count: number) => {
      const found = () => parseLogLines(gateway.output()).filter(({ msg }) => msg === message);
      await untilHolds(() => expect(found().length).toBe(count));
      return found().map(({ level, expiresAt, problem, variable, reason, certificate }) => ({
        ...{ level, expiresAt, problem, variable, reason, certificate },
      }));
    },
  };
}

describe('a certificate of the service that is not trusted', () => {
  const ISSUER = 'O=Test, CN=Test Root CA';
  const UNKNOWN =
    'its issuer is unknown: if you trust it, set NODE_EXTRA_CA_CERTS to a file with the certificate of the issuer, and restart';

  test.each([
    {
      why: 'its issuer is unknown',
      present: () => server,
      trusted: () => '',
      reason: 'SELF_SIGNED_CERT_IN_CHAIN',
      certificate: { subject: 'O=Test, CN=localhost', issuer: ISSUER, problem: UNKNOWN },
    },
    {
      why: 'it is self-signed',
      present: () => createdAuthority(),
      trusted: () => authority.certFile,
      reason: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      certificate: { subject: 'O=Test, CN=Another CA', issuer: 'O=Test, CN=Another CA', problem: UNKNOWN },
    },
    {
      why: 'it has expired',
      present: () => authority.issue('localhost', { days: 0 }),
      trusted: () => authority.certFile,
      reason: 'CERT_HAS_EXPIRED',
      certificate: {
        subject: 'O=Test, CN=localhost',
        issuer: ISSUER,
        problem: expect.stringMatching(/^it expired on \d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      },
    },
    {
      why: 'it is for another name',
      present: () => authority.issue('another.test'),
      trusted: () => authority.certFile,
      reason: 'ERR_TLS_CERT_ALTNAME_INVALID',
      certificate: {
        subject: 'O=Test, CN=another.test',
        issuer: ISSUER,
        problem: 'it is for DNS:another.test, not for localhost',
      },
    },
  ])('is explained in the log if $why', async ({ present, trusted, reason, certificate }) => {
    const { cert, key } = present();
    const tls = await startTls({ cert, key, ...(cert === server.cert && { cert: cert + authority.cert }) });
    const gateway = await startGateway(tls, { NODE_EXTRA_CA_CERTS: trusted() });
    expect(await gateway.execute('createNotification', 'any')).toEqual(
      failure('createNotification', unreachable),
    );
    expect(await gateway.lines('Connection to the service failed', 1)).toEqual([
      { level: 'warn', reason, certificate },
    ]);
  });

  function createdAuthority(): IssuedCertificate {
    const another = createAuthority('Another CA');
    another.stop();
    return another;
  }
});

describe('the certificate of the gateway', () => {
  test('is presented with every operation, retry and read after a write, and its remaining time is a metric', async () => {
    const tls = await startTls({ requestCert: true });
    const { cert, key } = authority.issue('gateway', { days: 90 });
    const metricsPort = await freePort();
    const gateway = await startGateway(tls, {
      SERVICE_CLIENT_CERT: cert,
      SERVICE_CLIENT_KEY: key,
      METRICS_PORT: String(metricsPort),
    });
    for (const field of fieldNames)
      expect(await gateway.execute(field, field)).toEqual(success(field, field));
    service.plan = ({ before }) => (before === 0 ? statusFault(503) : undefined);
    expect(await gateway.execute('notification', 'retried')).toEqual(success('notification', 'retried'));
    service.plan = ({ method }) => (method === 'DELETE' ? statusFault(500) : undefined);
    await gateway.execute('deleteNotification', 'read back');
    expect(
      service.requests.filter(({ subject }) => subject === 'read back').map(({ method }) => method),
    ).toEqual(['DELETE', 'GET']);
    expect(new Set(tls.connections.map(({ client }) => client))).toEqual(new Set(['gateway']));
    const metrics = await scrape(`http://127.0.0.1:${metricsPort}/metrics`);
    const remaining = metrics['shipment_gateway_rest_client_certificate_remaining_seconds'] ?? 0;
    expect(remaining).toBeGreaterThan(89 * DAY_SECONDS);
    expect(remaining).toBeLessThanOrEqual(90 * DAY_SECONDS);
  });

  test('is the one in the files when a connection opens, unless that cannot be used', async () => {
    const tls = await startTls({ requestCert: true });
    const mount = createMount();
    mount.replace(authority.issue('first'));
    const gateway = await startGateway(tls, {
      SERVICE_CLIENT_CERT_FILE: mount.certFile,
      SERVICE_CLIENT_KEY_FILE: mount.keyFile,
    });
    let count = 0;
    /** The client of a new connection. */
    const presented = async () => {
      count += 1;
      tls.disconnect();
      const subject = `renewal ${count}`;
      expect(await gateway.execute('notification', subject)).toEqual(success('notification', subject));
      return tls.connections.at(-1);
    };
    expect(await presented()).toMatchObject({ client: 'first' });
    expect(await presented()).toMatchObject({ client: 'first', isResumed: true });

    const second = authority.issue('second', { days: 60 });
    mount.replace(second);
    // A resumed session would stand for the first certificate.
    expect(await presented()).toMatchObject({ client: 'second', isResumed: false });
    const renewed = { level: 'info', expiresAt: expect.stringMatching(/Z$/) as string };
    expect(await gateway.lines('Client certificate renewed', 1)).toEqual([renewed]);

    const unusable = { level: 'warn', expiresAt: expect.any(String) as string };
    mount.replace({ ...second, key: authority.key });
    expect(await presented()).toMatchObject({ client: 'second' });
    mount.replace({ ...second, cert: authority.issue('third', { days: 0 }).cert });
    expect(await presented()).toMatchObject({ client: 'second' });
    mount.remove();
    expect(await presented()).toMatchObject({ client: 'second' });
    expect(await presented()).toMatchObject({ client: 'second' });
    const message = 'Renewed client certificate is unusable: the previous one stays in use';
    expect(await gateway.lines(message, 3)).toEqual([
      { ...unusable, problem: 'expected the private key of the certificate' },
      { ...unusable, problem: expect.stringContaining('this one expired on') as string },
      { ...unusable, problem: 'expected a certificate in PEM format (-----BEGIN CERTIFICATE-----)' },
    ]);
    mount.replace(authority.issue('fourth'));
    expect(await presented()).toMatchObject({ client: 'fourth', isResumed: false });
  });

  test('is announced to expire 30 days before, at the start and by --check-config', async () => {
    const tls = await startTls({ requestCert: true });
    const { certFile, keyFile } = authority.issue('gateway', { days: 29 });
    const env = { SERVICE_CLIENT_CERT_FILE: certFile, SERVICE_CLIENT_KEY_FILE: keyFile };
    const gateway = await startGateway(tls, env);
    expect(await gateway.lines('Client certificate expires soon', 1)).toEqual([
      {
        level: 'warn',
        variable: 'SERVICE_CLIENT_CERT',
        expiresAt: expect.stringMatching(/^\d{4}-.+Z$/) as string,
      },
    ]);
    const check = startProcess(process.execPath, [MAIN, '--check-config'], {
      env: { SERVICE_URL: `https://localhost:${tls.port}`, ...env },
    });
    const { code, stdout, stderr } = await check.exited;
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Client certificate expires soon SERVICE_CLIENT_CERT: on \d{4}-.+Z\n$/);
    expect(stdout).toContain(
      `"SERVICE_CLIENT_KEY": {"value":"[hidden]","source":"file","file":"${keyFile}"}`,
    );
    expect(stdout).not.toContain('PRIVATE KEY');
  });

  test('is announced to expire while the gateway runs, once a day', () => {
    const { cert, key } = authority.issue('gateway', { days: 31 });
    const expiresAt = expiryOf(cert);
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const events: ClientCertificateEvent[] = [];
    const files = { certificate: undefined, key: undefined };
    const certificate = createClientCertificate(
      { certificate: cert, key, files },
      { onClientCertificate: (event) => events.push(event) },
    );
    const expiring = { state: 'expiring', expiresAt: new Date(expiresAt).toISOString() };
    for (const [daysBefore, count] of [
      [30.01, 0],
      [29.99, 1],
      [29.5, 1],
      [28.9, 2],
      [-1, 3],
    ] as const) {
      vi.setSystemTime(expiresAt - daysBefore * DAY_SECONDS * 1000);
      for (let connection = 0; connection < 3; connection += 1)
        expect(certificate.current().expiresAt).toBe(expiresAt);
      expect(events).toEqual(Array(count).fill(expiring));
    }
  });

  test('that the service demands and does not get fails calls that were not applied, with TLS 1.2', async () => {
    const tls = await startTls({ requestCert: true, maxVersion: 'TLSv1.2' });
    const gateway = await startGateway(tls);
    expect(await gateway.execute('createNotification', 'any')).toEqual(
      failure('createNotification', unreachable),
    );
    expect(await gateway.lines('Connection to the service failed', 1)).toEqual([
      { level: 'warn', reason: expect.stringMatching(/ALERT_HANDSHAKE_FAILURE$/) as string },
    ]);
  });
});

describe('a gateway does not start with', () => {
  const problemsOf = (env: Record<string, string>): readonly string[] => {
    try {
      parseConfig({ SERVICE_URL: 'https://localhost', ...env });
      return [];
    } catch (error) {
      return (error as ConfigError).problems;
    }
  };
  const NO_KEY = 'expected a private key in PEM format (-----BEGIN PRIVATE KEY-----)';
  const ENCRYPTED =
    'expected a private key without a passphrase, which "openssl pkey -in encrypted.key -out client.key" writes';

  test.each<[string, () => Record<string, string>, (string | RegExp)[]]>([
    [
      'a certificate alone',
      () => ({ SERVICE_CLIENT_CERT: server.cert }),
      ['SERVICE_CLIENT_KEY: required with SERVICE_CLIENT_CERT'],
    ],
    [
      'a key alone',
      () => ({ SERVICE_CLIENT_KEY: server.key }),
      ['SERVICE_CLIENT_CERT: required with SERVICE_CLIENT_KEY'],
    ],
    [
      'the key of another certificate',
      () => ({ SERVICE_CLIENT_CERT: server.cert, SERVICE_CLIENT_KEY: authority.key }),
      ['SERVICE_CLIENT_KEY: expected the private key of SERVICE_CLIENT_CERT'],
    ],
    [
      'texts that are neither',
      () => ({ SERVICE_CLIENT_CERT: server.key, SERVICE_CLIENT_KEY: server.cert }),
      [
        'SERVICE_CLIENT_CERT: expected a certificate in PEM format (-----BEGIN CERTIFICATE-----)',
        `SERVICE_CLIENT_KEY: ${NO_KEY}`,
      ],
    ],
    [
      'a truncated certificate and a truncated key',
      () => ({
        SERVICE_CLIENT_CERT: server.cert.slice(0, 200),
        SERVICE_CLIENT_KEY: server.key.slice(0, 100),
      }),
      [
        'SERVICE_CLIENT_CERT: expected a certificate in PEM format (-----BEGIN CERTIFICATE-----)',
        `SERVICE_CLIENT_KEY: ${NO_KEY}`,
      ],
    ],
    [
      'a certificate that has expired',
      () => {
        const { cert, key } = authority.issue('expired', { days: 0 });
        return { SERVICE_CLIENT_CERT: cert, SERVICE_CLIENT_KEY: key };
      },
      [/^SERVICE_CLIENT_CERT: expected a certificate that is valid now; this one expired on \d{4}-.+Z$/],
    ],
    ...['pkey', 'ec'].map((command): [string, () => Record<string, string>, string[]] => [
      `a key that "openssl ${command}" has encrypted`,
      () => {
        const encrypted = join(dirname(server.keyFile), 'encrypted.key');
        authority.openssl(
          command,
          '-in',
          server.keyFile,
          '-out',
          encrypted,
          '-aes256',
          '-passout',
          'pass:5ecret',
        );
        return { SERVICE_CLIENT_CERT: server.cert, SERVICE_CLIENT_KEY: authority.read('encrypted.key') };
      },
      [`SERVICE_CLIENT_KEY: ${ENCRYPTED}`],
    ]),
  ])('%s', (_what, env, problems) => {
    expect(problemsOf(env())).toEqual(
      problems.map((problem) =>
        typeof problem === 'string' ? problem : (expect.stringMatching(problem) as string),
      ),
    );
  });

  test('but it starts with a certificate that is followed by those of its issuers', () => {
    const env = { SERVICE_CLIENT_CERT: server.cert + authority.cert, SERVICE_CLIENT_KEY: server.key };
    expect(problemsOf(env)).toEqual([]);
  });
});

/** Files as Kubernetes mounts a Secret: symbolic links into a folder that is replaced as a whole. */
function createMount() {
  const folder = join(dirname(authority.certFile), 'mount');
  const data = join(folder, '..data');
  const certFile = join(folder, 'tls.crt');
  const keyFile = join(folder, 'tls.key');
  mkdirSync(folder);
  symlinkSync('..data/tls.crt', certFile);
  symlinkSync('..data/tls.key', keyFile);
  let version = 0;
  return {
    certFile,
    keyFile,
    replace({ cert, key }: Pick<IssuedCertificate, 'cert' | 'key'>) {
      version += 1;
      const name = `..version-${version}`;
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'tls.crt'), cert);
      writeFileSync(join(folder, name, 'tls.key'), key);
      symlinkSync(name, `${data}-new`);
      renameSync(`${data}-new`, data);
    },
    remove: () => rmSync(data),
  };
}
