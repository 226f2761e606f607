/** Whether the service can be reached: its name, its port, and its certificate. */
import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { serverOf } from '../transport/calls.js';
import { proxyFor, type ProxySettings } from '../transport/proxy.js';
import type { Finding } from './report.js';

export interface NetworkOptions {
  proxies: ProxySettings;
  /** Of each step. */
  timeoutMs: number;
  report: (finding: Finding) => void;
}

/**
 * Reports what it finds, and returns whether calls can be made. Where a proxy is between, that is what has to be reachable: it
 * alone may know the name of the service, and the calls show the rest.
 */
export async function probeNetwork(
  target: URL,
  targetVariable: string,
  { proxies, timeoutMs, report }: NetworkOptions,
): Promise<boolean> {
  const proxy = proxyFor(target, proxies);
  const url = proxy ? new URL(proxy.origin) : target;
  const variable = proxy ? `${target.protocol.replace(':', '').toUpperCase()}_PROXY` : targetVariable;
  const { address, port } = serverOf(url);
  const found = (point: string, problem: string | undefined, saw: string) => {
    const verdict = problem === undefined ? 'proven' : 'failed';
    report({ point: `${point} of ${variable}`, verdict, saw: problem ?? saw, variable, value: null });
    return problem === undefined;
  };
  try {
    const addresses = await within(timeoutMs, lookup(address, { all: true }));
    found('name', undefined, addresses.length === 1 ? 'one address' : `${addresses.length} addresses`);
  } catch (error) {
    return found('name', `expected an address, got ${codeOf(error)}: check the host in ${variable}`, '');
  }
  try {
    await opened(connect({ host: address, port }), 'connect', timeoutMs);
    found('port', undefined, `port ${port} accepts connections`);
  } catch (error) {
    const advice = `check the port in ${variable}, and firewalls on the way`;
    return found('port', `expected port ${port} to accept connections, got ${codeOf(error)}: ${advice}`, '');
  }
  return proxy !== undefined || url.protocol === 'http:' || probeCertificate(address, port, timeoutMs, found);
}

async function probeCertificate(
  host: string,
  port: number,
  timeoutMs: number,
  found: (point: string, problem: string | undefined, saw: string) => boolean,
): Promise<boolean> {
  // Not verified while it connects, so that a certificate that is rejected can be described.
  const socket = connectTls({ host, port, servername: serverName(host), rejectUnauthorized: false });
  try {
    return await opened(socket, 'secureConnect', timeoutMs, () => {
      const { subject, issuer, valid_to: validTo } = socket.getPeerCertificate();
      const certificate = `${nameIn(subject)}, issued by ${nameIn(issuer)}, valid until ${validTo}`;
      const problem = certificateProblem(socket, certificate);
      return found('certificate', problem, `${socket.getProtocol() ?? 'TLS'}, ${certificate}`);
    });
  } catch (error) {
    return found('certificate', `expected TLS on port ${port}, got ${codeOf(error)}`, '');
  }
}

function certificateProblem(
  { authorized, authorizationError }: TLSSocket,
  certificate: string,
): string | undefined {
  if (authorized) return undefined;
  const code = String(authorizationError);
  const advice = adviceFor[code] ?? 'if its issuer is right, name its file in NODE_EXTRA_CA_CERTS';
  return `expected a certificate that Node.js trusts, got ${certificate} (${code}): ${advice}`;
}

const adviceFor: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the service has to renew it',
  CERT_NOT_YET_VALID: 'check the clock of this machine',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the host in the URL has to be one of its names',
};

function nameIn(names: { CN?: string | string[]; O?: string | string[] } | undefined): string {
  return String(names?.CN ?? names?.O ?? 'an unnamed one');
}

/** No address can be the name of a server (RFC 6066 section 3). */
function serverName(host: string): string {
  return /^[\d.]+$|:/.test(host) ? '' : host;
}

/** Waits for the event, and closes the connection. */
async function opened<Result>(
  socket: ReturnType<typeof connect>,
  event: string,
  timeoutMs: number,
  use?: () => Result,
): Promise<Result> {
  try {
    await within(
      timeoutMs,
      new Promise((resolve, reject) => socket.once(event, resolve).once('error', reject)),
    );
    return use?.() as Result;
  } finally {
    socket.destroy();
  }
}

async function within<Result>(timeoutMs: number, result: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing within ${timeoutMs} ms`)), timeoutMs);
  });
  return Promise.race([result, late]).finally(() => clearTimeout(timer));
}

/** The code of a system error, or the message of any other. */
function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
