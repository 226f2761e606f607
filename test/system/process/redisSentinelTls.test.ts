/** Sentinels over TLS: names in certificates are checked at the Sentinels and at the primary, which have credentials of their own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { keyedWrites, said, track, type KeyedWrite } from '../../support/graphql/keyedWrites.js';
import {
  createAuthority,
  type Authority,
  type IssuedCertificate,
} from '../../support/process/certificates.js';
import { parseLogLines, startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { startRedis } from '../../support/process/redis.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { killProcesses, startProcess } from '../../support/process/startProcess.js';
import { startFaultServer, type FaultServer } from '../../support/service/faultServer.js';
import { freePort } from '../../support/tools/freePort.js';
import { until } from '../../support/tools/waiting.js';

const reason = reasonToSkip('redis-server') ?? reasonToSkip('openssl');
skipIf(reason);

let authority: Authority;
let service: FaultServer;
const folder = mkdtempSync(join(tmpdir(), 'sentinel-tls-'));
beforeAll(async () => {
  if (reason !== undefined) return;
  authority = createAuthority();
  service = await startFaultServer();
});
afterAll(async () => {
  killProcesses();
  rmSync(folder, { recursive: true });
  if (reason !== undefined) return;
  authority.stop();
  await service.stop();
});

const tlsOptions = ({ certFile, keyFile }: IssuedCertificate) => [
  ['tls-cert-file', certFile],
  ['tls-key-file', keyFile],
  ['tls-ca-cert-file', authority.certFile],
  ['tls-auth-clients', 'no'],
];

/** A primary that a Sentinel names `localhost`, with a certificate for the primary's name. Resolves with the port of the Sentinel. */
async function startSentinel(primaryName: string): Promise<number> {
  const primaryPort = await freePort();
  const primary = await startRedis(primaryPort, [
    ...['--port', '0', '--tls-port', String(primaryPort), '--requirepass', 'of-the-primary'],
    ...tlsOptions(authority.issue(primaryName)).flatMap(([name, value]) => [`--${name}`, String(value)]),
  ]);
  const port = await freePort();
  const file = join(folder, `${port}.conf`);
  const lines = [
    ['port', '0'],
    ['tls-port', String(port)],
    ...tlsOptions(authority.issue('localhost')),
    ['tls-replication', 'yes'], // to the primary, too
    ['dir', folder],
    ['requirepass', 'of-the-sentinel'],
    ['sentinel resolve-hostnames', 'yes'],
    ['sentinel announce-hostnames', 'yes'],
    ['sentinel monitor', `keys localhost ${primaryPort} 1`],
    ['sentinel auth-pass', 'keys of-the-primary'],
  ];
  writeFileSync(file, lines.map((line) => line.join(' ')).join('\n'));
  const sentinel = startProcess('redis-server', [file, '--sentinel']);
  onTestFinished(async () => {
    sentinel.kill('SIGKILL');
    await primary.kill();
  });
  await sentinel.printed(/\+monitor master keys/);
  return port;
}

interface Case {
  /** In its certificate. @default localhost */
  primaryName?: string;
  /** @default that of the certificates */
  trusts?: 'nobody';
  /** Why keys are rejected, in the log; undefined if they are not. */
  reason?: RegExp;
}

test.each<[string, Case]>([
  ['with the names of the certificates and the credentials of both are used', {}],
  [
    'are rejected if the primary has a certificate for another name',
    { primaryName: 'other.test', reason: /Hostname.IP does not match/ },
  ],
  [
    'are rejected if nobody trusts the certificates',
    { trusts: 'nobody', reason: /All sentinels are unreachable/ },
  ],
])('Keys behind a Sentinel %s', async (_what, each) => {
  const { primaryName = 'localhost', trusts } = each;
  const port = await startSentinel(primaryName);
  const gateway = startGatewayProcess({
    env: {
      NODE_ENV: 'production',
      SERVICE_URL: service.url,
      REDIS_URL: `rediss+sentinel://:of-the-primary@localhost:${port}/keys?sentinelPassword=of-the-sentinel`,
      ...(trusts !== 'nobody' && { NODE_EXTRA_CA_CERTS: authority.certFile }),
    },
  });
  const url = `${await gateway.listening()}/graphql`;
  const [write] = keyedWrites(1) as [KeyedWrite];
  const isUsed = each.reason === undefined;
  expect(await track(url, write)).toBe(isUsed ? said.success : said.unavailable);
  const reasons = () => parseLogLines(gateway.output()).map((line) => String(line['reason']));
  if (each.reason) await until(() => reasons().some((text) => each.reason?.test(text)));
  gateway.kill('SIGTERM');
  const { code, stdout, stderr } = await gateway.exited;
  expect({ code, stderr, secrets: stdout.match(/of-the-\w+/g) }).toEqual({
    code: 0,
    stderr: '',
    secrets: null,
  });
  expect(service.timesExecuted('POST', write.subject)).toBe(isUsed ? 1 : 0);
});
