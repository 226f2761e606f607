/** The certificate that the gateway presents to the service (mutual TLS): what is expected of it, and its renewal from files. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';

/** Both PEM. After the certificate itself, the text may have the certificates of its issuers. */
interface CertificatePair {
  readonly certificate: string;
  readonly key: string;
}

export interface ClientCertificateOptions extends CertificatePair {
  /** Paths of the files that hold the texts. They are read again for every new connection. */
  readonly files: { readonly certificate: string | undefined; readonly key: string | undefined };
}

export interface ClientCertificateObserver {
  /**
   * New connections present another certificate (`renewed`), or keep the previous one because the files hold none that can be used
   * (`unusable`), or it expires within EXPIRY_WARNING_MS, which is reported once a day (`expiring`).
   */
  onClientCertificate(event: ClientCertificateEvent): void;
}

export interface ClientCertificateEvent {
  state: 'expiring' | 'renewed' | 'unusable';
  /** Of the certificate in use. */
  expiresAt: string;
  problem?: string;
}

export type ClientCertificate = ReturnType<typeof createClientCertificate>;

/** As the configuration has it; undefined for none. */
export function clientCertificateOf(
  service: {
    clientCertificate?: string | undefined;
    clientKey?: string | undefined;
    clientCertificateFiles: ClientCertificateOptions['files'];
  },
  observer: ClientCertificateObserver,
): ClientCertificate | undefined {
  const { clientCertificate: certificate, clientKey: key, clientCertificateFiles: files } = service;
  if (certificate === undefined || key === undefined) return undefined;
  return createClientCertificate({ certificate, key, files }, observer);
}

const DAY_MS = 86_400_000;
export const EXPIRY_WARNING_MS = 30 * DAY_MS;

/** The pair must be one of which `certificateProblem`, `keyProblem` and `pairProblem` say nothing. */
export function createClientCertificate(
  { certificate, key, files }: ClientCertificateOptions,
  observer: ClientCertificateObserver,
) {
  let identity = identityOf({ certificate, key });
  let seen = `${certificate}${key}`;
  let warnedAt = Date.now(); // the program has warned at its start

  const report = (state: ClientCertificateEvent['state'], problem?: string) => {
    const expiresAt = new Date(identity.expiresAt).toISOString();
    observer.onClientCertificate({ state, expiresAt, ...(problem !== undefined && { problem }) });
  };
  const renew = () => {
    const pair = { certificate: readText(files.certificate, certificate), key: readText(files.key, key) };
    const text = `${pair.certificate}${pair.key}`;
    if (text === seen) return;
    seen = text;
    const problem =
      certificateProblem(pair.certificate) ?? keyProblem(pair.key) ?? pairProblem(pair.certificate, pair.key);
    if (problem === undefined) identity = identityOf(pair);
    report(problem === undefined ? 'renewed' : 'unusable', problem);
  };

  return {
    /** What a new connection presents. Reading two small files takes little of the time of its handshake. */
    current(): ClientIdentity {
      renew();
      const now = Date.now();
      if (identity.expiresAt - now < EXPIRY_WARNING_MS && now - warnedAt >= DAY_MS) {
        warnedAt = now;
        report('expiring');
      }
      return identity;
    },
  };
}

export interface ClientIdentity {
  readonly secureContext: SecureContext;
  /** In milliseconds since the epoch. */
  readonly expiresAt: number;
}

function identityOf({ certificate, key }: CertificatePair): ClientIdentity {
  return { secureContext: createSecureContext({ cert: certificate, key }), expiresAt: expiryOf(certificate) };
}

/** In milliseconds since the epoch. */
export function expiryOf(certificate: string): number {
  return Date.parse(new X509Certificate(certificate).validTo);
}

/** The text of a file, as the configuration has it; empty if it cannot be read, as between the removal of a file and its replacement. */
function readText(path: string | undefined, given: string): string {
  if (path === undefined) return given;
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch {
    return '';
  }
}

/** Why a certificate cannot be presented now, or undefined if it can. */
export function certificateProblem(certificate: string): string | undefined {
  const parsed = parsePem(() => new X509Certificate(certificate));
  if (parsed === undefined) return 'expected a certificate in PEM format (-----BEGIN CERTIFICATE-----)';
  const [from, to] = [parsed.validFrom, parsed.validTo].map((text) => new Date(text));
  const now = new Date();
  if (from && from > now)
    return `expected a certificate that is valid now; this one is not before ${from.toISOString()}`;
  if (to && to <= now)
    return `expected a certificate that is valid now; this one expired on ${to.toISOString()}`;
  return undefined;
}

/** Why a private key cannot be used, or undefined if it can. */
export function keyProblem(key: string): string | undefined {
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(key))
    return 'expected a private key without a passphrase, which "openssl pkey -in encrypted.key -out client.key" writes';
  return parsePem(() => createPrivateKey(key)) === undefined
    ? 'expected a private key in PEM format (-----BEGIN PRIVATE KEY-----)'
    : undefined;
}

/** Whether the key belongs to the certificate; both must be valid. */
export function pairProblem(certificate: string, key: string): string | undefined {
  return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))
    ? undefined
    : 'expected the private key of the certificate';
}

/** Undefined if it throws: the messages of OpenSSL say nothing to an operator. */
function parsePem<Value>(parse: () => Value): Value | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}
