/** Certificates that OpenSSL makes for a test, in a folder that is removed after it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { minimalEnv } from './minimalEnv.js';

export interface IssuedCertificate {
  /** Paths of the PEM files. */
  certFile: string;
  keyFile: string;
  /** Their texts. */
  cert: string;
  key: string;
}

export type Authority = ReturnType<typeof createAuthority>;

/** A certificate authority, which nobody trusts by default. */
export function createAuthority(commonName = 'Test Root CA') {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) =>
    void execFileSync('openssl', args, { cwd: folder, env: minimalEnv, stdio: 'pipe' });
  const read = (name: string) => readFileSync(file(name), 'utf8');
  const certificateIn = (name: string): IssuedCertificate => ({
    certFile: file(`${name}.crt`),
    keyFile: file(`${name}.key`),
    cert: read(`${name}.crt`),
    key: read(`${name}.key`),
  });
  let count = 0;
  const request = (name: string, subject: string) => [
    ...['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-keyout', `${name}.key`, '-subj', `/O=Test/CN=${subject}`],
  ];
  openssl(...request('ca', commonName), '-x509', '-out', 'ca.crt');
  return {
    ...certificateIn('ca'),
    /** Issues a certificate. One for 0 days has expired. */
    issue(subject: string, { names = `DNS:${subject}`, days = 90 } = {}): IssuedCertificate {
      count += 1;
      const name = `issued-${count}`;
      openssl(...request(name, subject), '-new', '-out', `${name}.csr`);
      writeFileSync(file(`${name}.ext`), `subjectAltName=${names}`);
      openssl(
        ...['x509', '-req', '-in', `${name}.csr`, '-out', `${name}.crt`],
        ...['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial'],
        ...['-days', String(days), '-extfile', `${name}.ext`],
      );
      return certificateIn(name);
    },
    openssl,
    read,
    stop: () => rmSync(folder, { recursive: true }),
  };
}
