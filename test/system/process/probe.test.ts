/** `--probe` with TLS, as a program: what Node.js trusts is decided when it starts. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startMockService } from '../../../src/mock/mockService.js';
import { serve } from '../../support/http/serve.js';
import { createAuthority, type Authority } from '../../support/process/certificates.js';
import { MAIN } from '../../support/process/gatewayProcess.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { startProcess } from '../../support/process/startProcess.js';
import { startTlsTerminator } from '../../support/service/tlsTerminator.js';
import { useStarted } from '../../support/tools/useStarted.js';

const reason = reasonToSkip('openssl');
skipIf(reason);
const service = useStarted(() => startMockService());
let authority: Authority;
const folder = mkdtempSync(join(tmpdir(), 'probe-'));
const tokenFile = join(folder, 'token');
beforeAll(() => {
  if (reason === undefined) authority = createAuthority();
  writeFileSync(tokenFile, 'any');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  authority.stop();
});

async function startTls(certificate: { cert: string; key: string }) {
  const tls = await startTlsTerminator(service.url, certificate);
  onTestFinished(() => tls.stop());
  return `https://localhost:${tls.port}`;
}

async function probe(env: Record<string, string>) {
  const program = startProcess(process.execPath, [MAIN, '--probe', '--token-file', tokenFile], { env });
  const { code, stdout, stderr } = await program.exited;
  expect(stderr).toBe('');
  return { code, stdout };
}

test('trusts the issuer in NODE_EXTRA_CA_CERTS, and names that variable without it', async () => {
  const url = await startTls(authority.issue('localhost'));
  const untrusted = await probe({ SERVICE_URL: url });
  expect(untrusted.code).toBe(1);
  expect(untrusted.stdout).toMatch(
    /^failed {2}list .*got no response, Could not connect to the service "\w+ .*": check SERVICE_URL, proxies, and NODE_EXTRA_CA_CERTS/m,
  );
  const trusted = await probe({ SERVICE_URL: url, NODE_EXTRA_CA_CERTS: authority.certFile });
  expect(trusted.code).toBe(0);
  expect(trusted.stdout).toMatch(/^proven {2}NOTIFICATIONS_PATH +200$/m);
});

test('follows a redirect from http to https, and prints the URL to set', async () => {
  const secure = await startTls(authority.issue('localhost'));
  const { url, stop } = await serve(
    createServer((request, response) => {
      response.writeHead(301, { location: `${secure}${request.url ?? ''}` }).end();
    }),
  );
  onTestFinished(stop);
  const { code, stdout } = await probe({
    SERVICE_URL: `http://localhost:${new URL(url).port}`,
    NODE_EXTRA_CA_CERTS: authority.certFile,
  });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^proven {2}NOTIFICATIONS_PATH +200$/m);
  expect(stdout).toContain(`Add to .env, and probe again:\n\nSERVICE_URL=${secure}\n`);
});
