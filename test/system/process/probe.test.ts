/** `--probe` with TLS, as a program: what Node.js trusts is decided when it starts. */
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startMockService } from '../../../src/mock/mockService.js';
import type { ProbeReport } from '../../../src/probe/report.js';
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
beforeAll(() => {
  if (reason === undefined) authority = createAuthority();
});
afterAll(() => authority.stop());

async function startTls(certificate: { cert: string; key: string }) {
  const tls = await startTlsTerminator(service.url, certificate);
  onTestFinished(() => tls.stop());
  return `https://localhost:${tls.port}`;
}

async function probe(env: Record<string, string>) {
  const program = startProcess(process.execPath, [MAIN, '--probe', '--json'], {
    env: { PROBE_TOKEN: 'any', ...env },
  });
  const { code, stdout, stderr } = await program.exited;
  expect(stderr).toBe('');
  const { findings, settings } = JSON.parse(stdout) as ProbeReport;
  const findingOf = (point: string) => findings.find((finding) => finding.point === point);
  return { code, settings, findingOf };
}

test('describes the certificate of the service, and how to trust its issuer', async () => {
  const url = await startTls(authority.issue('localhost'));
  const untrusted = await probe({ SERVICE_URL: url });
  expect(untrusted.code).toBe(1);
  expect(untrusted.findingOf('certificate of SERVICE_URL')).toEqual({
    point: 'certificate of SERVICE_URL',
    verdict: 'failed',
    saw: expect.stringMatching(
      /^expected a certificate that Node\.js trusts, got localhost, issued by Test Root CA, valid until .+ \(\w+\): if its issuer is right, name its file in NODE_EXTRA_CA_CERTS$/,
    ) as string,
    variable: 'SERVICE_URL',
    value: null,
  });
  const trusted = await probe({ SERVICE_URL: url, NODE_EXTRA_CA_CERTS: authority.certFile });
  expect(trusted.code).toBe(0);
  expect(trusted.findingOf('certificate of SERVICE_URL')).toMatchObject({
    verdict: 'proven',
    saw: expect.stringMatching(/^TLSv1\.3, localhost, issued by Test Root CA, valid until /) as string,
  });
});

test.each([
  ['expired', { days: 0 }, /CERT_HAS_EXPIRED\): the service has to renew it$/],
  [
    'that of another host',
    { names: 'DNS:another.example' },
    /ERR_TLS_CERT_ALTNAME_INVALID\): the host in the URL has to be one of its names$/,
  ],
])('says that a certificate is %s', async (_, options, saw) => {
  const url = await startTls(authority.issue('localhost', options));
  const { code, findingOf } = await probe({
    SERVICE_URL: url,
    NODE_EXTRA_CA_CERTS: authority.certFile,
  });
  expect(code).toBe(1);
  expect(findingOf('certificate of SERVICE_URL')?.saw).toMatch(saw);
});

test('follows a redirect from http to https, and prints the URL to set', async () => {
  const secure = await startTls(authority.issue('localhost'));
  const { url, stop } = await serve(
    createServer((request, response) => {
      response.writeHead(301, { location: `${secure}${request.url ?? ''}` }).end();
    }),
  );
  onTestFinished(stop);
  const { code, settings, findingOf } = await probe({
    SERVICE_URL: `http://localhost:${new URL(url).port}`,
    NODE_EXTRA_CA_CERTS: authority.certFile,
  });
  expect({ code, settings }).toEqual({ code: 1, settings: { SERVICE_URL: secure } });
  expect(findingOf('NOTIFICATIONS_PATH')?.verdict).toBe('proven');
});
