/** Opens connections to an origin: directly or through a proxy, with TLS for https. */
import dns, { type LookupAddress, type LookupOptions } from 'node:dns';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';
import type { ClientCertificate, ClientIdentity } from './clientCertificate.js';
import { createTunnels, type Proxy } from './proxy.js';

export interface ConnectorOptions {
  /** Timeout in milliseconds of each step: the connection, the proxy's response, TLS. */
  timeoutMs: number;
  /** @default the connections are direct */
  proxy?: Proxy | undefined;
  /** Presented to the service, and not to the proxy. @default none */
  clientCertificate?: ClientCertificate | undefined;
}

/** What a client of undici opens its connection with. Aborting the signal tears down a tunnel that is not complete. */
export type Connector = (signal: AbortSignal) => buildConnector.connector;

export function createConnector(options: ConnectorOptions): Connector {
  const connectorFor = createDirectOrTunnelConnector(options);
  return (signal) => {
    const connect = connectorFor(signal);
    return (target, callback) => {
      connect(target, (...result) => {
        callback(...result);
        if (result[1]) skipContinue(result[1]); // undici leaves it out next to an error, despite its type
      });
    };
  };
}

/** What undici reads the responses of a socket with. */
interface Parser {
  onHeadersComplete: (this: Parser, status: number, ...others: unknown[]) => number;
}

/**
 * Has undici skip a 100 as it skips all other interim responses (RFC 9110 §15.2): it closes the connection instead if nobody asked for it,
 * and has no option for that. Its parser is a property of a socket that it has got.
 */
function skipContinue(socket: object): void {
  const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'parser');
  const parser = key && (socket as Record<symbol, Parser | null>)[key];
  if (!parser) return; // undici no longer wants the socket
  const { onHeadersComplete } = parser;
  parser.onHeadersComplete = (status, ...others) =>
    onHeadersComplete.call(parser, status === 100 ? 102 : status, ...others);
}

function createDirectOrTunnelConnector({ timeoutMs, proxy, clientCertificate }: ConnectorOptions): Connector {
  const connect = createDirectConnector(timeoutMs, clientCertificate);
  if (proxy === undefined) return () => connect;
  const openTunnel = createTunnels(proxy, createDirectConnector(timeoutMs), timeoutMs);
  return (signal) => (options, callback) => {
    openTunnel(options, signal, (error, socket) => {
      if (error !== null) callback(error, null);
      else if (options.protocol === 'https:') connect({ ...options, httpSocket: socket }, callback);
      else callback(null, socket);
    });
  };
}

/** Opens a connection, or starts TLS on one that is open. */
function createDirectConnector(
  timeoutMs: number,
  clientCertificate?: ClientCertificate,
): buildConnector.connector {
  const build = (identity: ClientIdentity | undefined) =>
    buildConnector({
      timeout: timeoutMs,
      lookup: lookupShuffled,
      ...(identity && { secureContext: identity.secureContext }),
    });
  let identity: ClientIdentity | undefined;
  let connect = build(identity);
  return (options, callback) => {
    if (options.protocol !== 'https:') {
      connect(options, callback);
      return;
    }
    const current = clientCertificate?.current();
    if (current !== identity) {
      identity = current;
      connect = build(identity); // with no TLS session, which would stand for the previous certificate
    }
    connectTls(connect, options, callback);
  };
}

/** Node.js closes a connection whose certificate it does not trust, and only then says so: what the certificate was is taken before. */
function connectTls(
  connect: buildConnector.connector,
  options: buildConnector.Options,
  callback: buildConnector.Callback,
): void {
  let certificate: PeerCertificate | undefined;
  // undici returns the socket, which its types leave out.
  const connectSocket = connect as unknown as (...args: Parameters<typeof connect>) => TLSSocket;
  const socket = connectSocket(options, (...[error, open]) => {
    if (error === null) callback(null, open);
    else callback(certificate ? new CertificateError(certificate, options.hostname, error) : error, null);
  });
  // The handshake is complete, and Node.js has yet to verify the certificate: an error that follows comes from the verification.
  socket.prependOnceListener('secure', () => {
    certificate = socket.getPeerCertificate(); // getPeerX509Certificate() would take it from the chain that is verified
  });
}

/** The service, or the proxy, presented a certificate that is not trusted. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError';
  /** That of OpenSSL or Node.js, such as CERT_HAS_EXPIRED. */
  readonly code: string;
  /** For the log: which certificate it is, and why it is not trusted. */
  readonly certificate: { readonly subject: string; readonly issuer: string; readonly problem: string };

  constructor(certificate: PeerCertificate, hostname: string, cause: NodeJS.ErrnoException) {
    super('The certificate is not trusted', { cause });
    this.code = cause.code ?? cause.message;
    this.certificate = {
      subject: nameIn(certificate.subject),
      issuer: nameIn(certificate.issuer),
      problem: problemOf(certificate, hostname, this.code),
    };
  }
}

/** Codes of OpenSSL for a certificate whose issuer is neither known nor sent along. */
const UNKNOWN_ISSUER =
  /^(?:UNABLE_TO_(?:GET_ISSUER_CERT(?:_LOCALLY)?|VERIFY_LEAF_SIGNATURE)|(?:DEPTH_ZERO_)?SELF_SIGNED_CERT(?:_IN_CHAIN)?|CERT_UNTRUSTED)$/;

function problemOf(
  { subjectaltname = 'no name', valid_from, valid_to }: Partial<PeerCertificate>,
  hostname: string,
  code: string,
): string {
  const [from, to] = [valid_from, valid_to].map((text = '') => new Date(text)) as [Date, Date];
  if (UNKNOWN_ISSUER.test(code))
    return 'its issuer is unknown: if you trust it, set NODE_EXTRA_CA_CERTS to a file with the certificate of the issuer, and restart';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `it is for ${cut(subjectaltname)}, not for ${hostname}`;
  if (code === 'CERT_HAS_EXPIRED' && to.getTime() < Date.now()) return `it expired on ${to.toISOString()}`;
  if (code === 'CERT_NOT_YET_VALID' && from.getTime() > Date.now())
    return `it is not valid before ${from.toISOString()}`;
  return 'it, or one of its issuers, is not valid';
}

/** A distinguished name in one line. */
function nameIn(name: object | undefined): string {
  return cut(
    Object.entries(name ?? {})
      .map(([attribute, value]) => `${attribute}=${String(value)}`)
      .join(', '),
  );
}

/** Anyone in between may have written a certificate. */
function cut(text: string): string {
  return text.slice(0, 200);
}

/**
 * dns.lookup() with the addresses of each family in random order: getaddrinfo() sorts them (RFC 6724), so one could get all
 * connections. The preferred family stays the first. If an address does not respond, Node tries the next one.
 */
export function lookupShuffled(hostname: string, options: LookupOptions, callback: LookupCallback): void {
  dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) {
      callback(error, []);
      return;
    }
    const shuffled = shuffle(addresses);
    if (options.all) callback(null, shuffled);
    else callback(null, shuffled[0]?.address ?? '', shuffled[0]?.family);
  });
}

/** As `lookup` of net.connect() expects it. */
type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

function shuffle(addresses: readonly LookupAddress[]): LookupAddress[] {
  const families = addresses.map(({ family }) => family);
  return addresses
    .map((address) => ({ address, rank: families.indexOf(address.family) + Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ address }) => address);
}
