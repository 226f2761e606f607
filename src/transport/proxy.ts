/** Egress proxies: which one an origin is behind, and the tunnel through it (CONNECT, RFC 9110 §9.3.6). */
import { BlockList, isIP, type Socket } from 'node:net';
import { domainToASCII } from 'node:url';
import { Client, type buildConnector } from 'undici';
import { SERVICE_NAME } from '../version.js';

/** As the variables of the same names have them. */
export interface ProxySettings {
  readonly httpProxy?: URL | undefined;
  readonly httpsProxy?: URL | undefined;
  readonly noProxy?: readonly Exclusion[] | undefined;
}

export interface Proxy {
  readonly origin: string;
  /** Host and port, for the log. */
  readonly address: string;
  /** Value of Proxy-Authorization; undefined for none. */
  readonly authorization: string | undefined;
}

/** The proxy for an origin; undefined if its connections are direct. */
export function proxyFor(
  origin: URL,
  { httpProxy, httpsProxy, noProxy = [] }: ProxySettings,
): Proxy | undefined {
  const url = origin.protocol === 'https:' ? httpsProxy : httpProxy;
  if (url === undefined || noProxy.some((excludes) => excludes(origin))) return undefined;
  return { origin: url.origin, address: addressOf(url), authorization: authorizationOf(url) };
}

/** Credentials of the URL of a proxy (RFC 7617). Throws a URIError if they are not percent-encoded. */
export function authorizationOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

/** An entry of NO_PROXY: whether it stands for an origin. */
export type Exclusion = (origin: URL) => boolean;

/**
 * Reads NO_PROXY as undici does, and networks, which other programs know: `*`, names with their subdomains, addresses, each of these with a
 * port or not. Throws an Error for an entry that can stand for no host.
 */
export function parseNoProxy(text: string): Exclusion[] {
  return text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(parseExclusion);
}

function parseExclusion(entry: string): Exclusion {
  if (entry === '*') return () => true;
  const network = networkOf(entry);
  if (network) return ({ hostname }) => network(hostname.replaceAll(/[[\]]/g, ''));
  const [, name = entry, port] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
  const domain = domainOf(name);
  if (domain === undefined)
    throw new Error(
      `expected names, IP addresses and networks, separated by commas or spaces, got ${JSON.stringify(entry)}`,
    );
  return (origin) => {
    const host = origin.hostname.replace(/\.$/, '');
    const isHost = host === domain || host.endsWith(`.${domain}`);
    return isHost && (port === undefined || port === portOf(origin));
  };
}

/** Tests whether an address is in a network such as 10.0.0.0/8; undefined if the text is not a network. */
function networkOf(text: string): ((address: string) => boolean) | undefined {
  const [, address = '', prefix] = /^(.+)\/(\d{1,3})$/.exec(text) ?? [];
  const family = isIP(address);
  if (family === 0 || Number(prefix) > (family === 4 ? 32 : 128)) return undefined;
  const network = new BlockList();
  network.addSubnet(address, Number(prefix), family === 4 ? 'ipv4' : 'ipv6');
  return (host) => isIP(host) !== 0 && network.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6');
}

/** The host as URLs have it: in lower case, with an IPv6 address in brackets. Undefined if it is not a host. */
function domainOf(name: string): string | undefined {
  const bare = name.replace(/^\*?\./, '').replace(/\.$/, '');
  const address = bare.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) === 6) return domainToASCII(`[${address}]`);
  if (!/^[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)*$/u.test(bare)) return undefined;
  return domainToASCII(bare) || bare.toLowerCase();
}

function addressOf(url: URL): string {
  return `${url.hostname}:${portOf(url)}`;
}

function portOf({ port, protocol }: Pick<URL, 'port' | 'protocol'>): string {
  return port || (protocol === 'https:' ? '443' : '80');
}

/** No connection could be opened. The message is for the log; clients read that the service is unreachable. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
}

/** Opens a tunnel to an origin; aborting the signal tears it down. */
export type OpenTunnel = (
  origin: Pick<buildConnector.Options, 'hostname' | 'port' | 'protocol'>,
  signal: AbortSignal,
  callback: (...result: [ConnectError, null] | [null, Socket]) => void,
) => void;

/**
 * `connect` opens the connections to the proxy. Each tunnel has an undici client of its own: it parses the response as strictly as responses of
 * the service. undici's ProxyAgent has pools of its own, accepts only status 200, and cannot tear down a tunnel that is opening.
 */
export function createTunnels(
  { origin: proxyOrigin, authorization }: Proxy,
  connect: buildConnector.connector,
  timeoutMs: number,
): OpenTunnel {
  return ({ hostname, port, protocol }, signal, callback) => {
    const host = hostname.includes(':') ? `[${hostname}]` : hostname;
    const target = `${host}:${portOf({ port, protocol })}`;
    const client = new Client(proxyOrigin, {
      // TLS with the proxy is for the proxy's name, and not for that in the Host header.
      connect: (options, onConnected) => connect({ ...options, servername: '' }, onConnected),
      headersTimeout: timeoutMs,
    });
    let isConnected = false;
    client.once('connect', () => (isConnected = true));
    const headers = {
      host: target,
      'proxy-connection': 'keep-alive', // undici sends `connection: close`, which old proxies apply to the tunnel
      'user-agent': SERVICE_NAME,
      ...(authorization !== undefined && { 'proxy-authorization': authorization }),
    };
    client.connect({ path: target, headers, signal }, (error: Error | null, { statusCode, socket }) => {
      if (error !== null) {
        const step = isConnected ? 'No valid response of the proxy' : 'Could not connect to the proxy';
        callback(new ConnectError(`${step}: ${reasonOf(error)}`, { cause: error }), null);
        return;
      }
      const isOpen = statusCode >= 200 && statusCode < 300;
      // Neither TLS nor HTTP has the server speak first: a request would take these bytes for its response.
      if (isOpen && socket.readableLength === 0) {
        signal.addEventListener('abort', () => socket.destroy(), { once: true });
        callback(null, socket as Socket);
        return;
      }
      socket.destroy();
      const problem = isOpen ? 'sent data before the service could' : `responded with status ${statusCode}`;
      callback(new ConnectError(`The proxy ${problem}`), null);
    });
  };
}

/** The code alone, unless TLS failed: a message of the system would expose addresses. */
function reasonOf(error: Error): string {
  if (error instanceof ConnectError) return error.message;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
