/** TLS with the service: the log says why a certificate is not trusted, and the gateway presents its own. */
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parseConfig, type ConfigError } from '../../../src/config/config.js';
import { post } from '../../support/http/post.js';
import { about, failure, success } from '../../support/graphql/faultOperations.js';
import { fieldNames } from '../../support/graphql/rootFields.js';
import {
  createAuthority,
  type Authority,
  type IssuedCertificate,
} from '../../support/process/certificates.js';
import { parseLogLines, startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { productionEnv } from '../../support/process/minimalEnv.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { statusFault, unreachable } from '../../support/service/faultCases.js';
import { startFaultServer, type FaultServer } from '../../support/service/faultServer.js';
import { startTlsTerminator, type TlsTerminator } from '../../support/service/tlsTerminator.js';
import { untilHolds } from '../../support/tools/waiting.js';

skipIf(reasonToSkip('openssl'));

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
      return found().map(({ level, reason }) => ({ level, reason }));
    },
  };
}

test('a certificate of the service whose issuer is unknown is explained in the log', async () => {
  const tls = await startTls({ cert: server.cert + authority.cert });
  const gateway = await startGateway(tls, { NODE_EXTRA_CA_CERTS: '' });
  expect(await gateway.execute('createNotification', 'any')).toEqual(
    failure('createNotification', unreachable),
  );
  expect(await gateway.lines('Connection to the service failed', 1)).toEqual([
    {
      level: 'warn',
      reason:
        'SELF_SIGNED_CERT_IN_CHAIN; if you trust its issuer, name a file with it in NODE_EXTRA_CA_CERTS',
    },
  ]);
});

describe('the certificate of the gateway', () => {
  test('is presented with every operation, retry and read after a write', async () => {
    const tls = await startTls({ requestCert: true });
    const { cert, key } = authority.issue('gateway', { days: 90 });
    const gateway = await startGateway(tls, {
      SERVICE_CLIENT_CERT: cert,
      SERVICE_CLIENT_KEY: key,
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
  });

  test('that the service demands and does not get fails calls that were not applied, with TLS 1.2', async () => {
    const tls = await startTls({ requestCert: true, maxVersion: 'TLSv1.2' });
    const gateway = await startGateway(tls);
    expect(await gateway.execute('createNotification', 'any')).toEqual(
      failure('createNotification', unreachable),
    );
    expect(await gateway.lines('Connection to the service failed', 1)).toEqual([
      {
        level: 'warn',
        reason: expect.stringMatching(
          /ALERT_HANDSHAKE_FAILURE; the service may expect a SERVICE_CLIENT_CERT$/,
        ) as string,
      },
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
  const ENCRYPTED = 'expected a private key without a passphrase in PEM format (-----BEGIN PRIVATE KEY-----)';

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
      'a certificate that has expired',
      () => {
        const { cert, key } = authority.issue('expired', { days: 0 });
        return { SERVICE_CLIENT_CERT: cert, SERVICE_CLIENT_KEY: key };
      },
      [/^SERVICE_CLIENT_CERT: expected a certificate that is valid now; this one expired on \d{4}-.+Z$/],
    ],
    [
      'a key that is encrypted',
      () => {
        const encrypted = join(dirname(server.keyFile), 'encrypted.key');
        authority.openssl(
          ...['pkey', '-in', server.keyFile, '-out', encrypted, '-aes256', '-passout', 'pass:5ecret'],
        );
        return { SERVICE_CLIENT_CERT: server.cert, SERVICE_CLIENT_KEY: authority.read('encrypted.key') };
      },
      [`SERVICE_CLIENT_KEY: ${ENCRYPTED}`],
    ],
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
