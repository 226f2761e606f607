/** What is expected of the certificate that the gateway presents to the service (mutual TLS). It is read at the start. */
import { createPrivateKey, X509Certificate } from 'node:crypto';

/** Why a certificate cannot be presented now, or undefined if it can. After it, the text may have the certificates of its issuers. */
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
export function isPair(certificate: string, key: string): boolean {
  return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
}

/** When a valid certificate expires, in milliseconds since the epoch. */
export function expiryOf(certificate: string): number {
  return Date.parse(new X509Certificate(certificate).validTo);
}

/** Undefined if it throws: the messages of OpenSSL say nothing to an operator. */
function parsePem<Value>(parse: () => Value): Value | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}
