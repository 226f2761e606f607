/** Opens connections to an origin, of the service or of another server: directly or through a proxy, with TLS for https. */
import dns, { type LookupAddress } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { json } from 'node:stream/consumers';
import { buildConnector, Client } from 'undici';
import { SERVICE_NAME } from '../version.js';

/** As the variables of the same names have them. */
export interface ProxySettings {
  readonly httpProxy?: URL | undefined;
  readonly httpsProxy?: URL | undefined;
  /** Each says whether an origin is called without a proxy. */
  readonly noProxy?: readonly ((origin: URL) => boolean)[] | undefined;
}

/** The URL of the proxy for an origin; undefined if its connections are direct. */
export function proxyFor(
  origin: URL,
  { httpProxy, httpsProxy, noProxy = [] }: ProxySettings,
): URL | undefined {
  const proxy = origin.protocol === 'https:' ? httpsProxy : httpProxy;
  return noProxy.some((excludes) => excludes(origin)) ? undefined : proxy;
}

interface ConnectorOptions {
  /** Timeout in milliseconds of each step: the connection, the proxy's response, TLS. */
  timeoutMs: number;
  /** @default the connections are direct */
  proxy?: URL | undefined;
  /** Certificate and key in PEM that are presented to the service, and not to the proxy. @default none */
  tls?: { cert: string; key: string } | undefined;
}

/** Opens the connection of an undici client. Aborting the signal tears down a tunnel that is not complete. */
export type Connector = (signal: AbortSignal) => buildConnector.connector;

export function createConnector({ timeoutMs, proxy, tls }: ConnectorOptions): Connector {
  const connect = createDirectConnector(timeoutMs, tls);
  if (proxy === undefined) return () => connect;
  const connectToProxy = createDirectConnector(timeoutMs);
  return (signal) => (options, callback) => {
    const client = new Client(proxy.origin, {
      // TLS with the proxy is for the proxy's name, and not for that in the Host header.
      connect: (toProxy, onConnected) => connectToProxy({ ...toProxy, servername: '' }, onConnected),
      headersTimeout: timeoutMs,
    });
    openTunnel(client, proxy, options, signal).then(
      (socket) => {
        if (options.protocol === 'https:') connect({ ...options, httpSocket: socket }, callback);
        else giveSocket(socket, callback);
      },
      (error: unknown) => callback(error as Error, null),
    );
  };
}

/** Opens a connection, or starts TLS on one that is open. */
function createDirectConnector(timeoutMs: number, tls?: ConnectorOptions['tls']): buildConnector.connector {
  const connect = buildConnector({
    ...tls,
    timeout: timeoutMs,
    lookup: lookupShuffled,
    autoSelectFamily: true,
    // Node.js gives an address 250 ms: none of two would do for a service that takes 400 ms to accept.
    autoSelectFamilyAttemptTimeout: Math.ceil(timeoutMs / 3),
  });
  return (options, callback) => {
    // Neither the extension of TLS (RFC 6066 §3) nor a certificate has the dot of an absolute name.
    const [, name] = /^(.*[^.])\.$/.exec(options.hostname) ?? [];
    connect(name === undefined ? options : { ...options, servername: name }, (...[error, socket]) => {
      if (error !== null) callback(error, null);
      else giveSocket(socket, callback);
    });
  };
}

/** undici's parser of the responses on a socket, as far as it matters here. */
interface Parser {
  statusCode: number;
  onHeadersComplete: (this: Parser, status: number, ...others: unknown[]) => number;
}

/**
 * Gives undici a socket, and has it skip every interim response (RFC 9110 §15.2): it closes the connection after a 100 that nobody asked
 * for, and takes any for the response to CONNECT, and has no option for that. Its parser is a property of a socket that it has got.
 */
function giveSocket(socket: Socket, callback: buildConnector.Callback): void {
  callback(null, socket);
  const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'parser');
  const parser = key && (socket as unknown as Record<symbol, Parser | null>)[key];
  if (!parser) return; // undici no longer wants the socket, or it is Node's
  const { onHeadersComplete } = parser;
  parser.onHeadersComplete = (status, ...others) => {
    if (status >= 200 || status === 101) return onHeadersComplete.call(parser, status, ...others);
    parser.statusCode = status;
    return 1; // has no body
  };
}

/** The proxy opened no tunnel. The message is for the log; clients read that the service is unreachable. */
export class TunnelError extends Error {
  override readonly name = 'TunnelError';
}

/**
 * Opens a tunnel through a proxy (CONNECT, RFC 9110 §9.3.6) with its own undici client, which parses the response as strictly as those
 * of the service. undici's ProxyAgent has its own pools, accepts only status 200, and cannot tear down a tunnel that is opening.
 */
async function openTunnel(
  client: Client,
  proxy: URL,
  { hostname, port, protocol }: buildConnector.Options,
  signal: AbortSignal,
): Promise<Socket> {
  const authorization = authorizationOf(proxy);
  const host = `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  const headers = {
    host,
    'proxy-connection': 'keep-alive', // undici sends `connection: close`, which old proxies apply to the tunnel
    'user-agent': SERVICE_NAME,
    ...(authorization !== undefined && { 'proxy-authorization': authorization }),
  };
  const opening = client.connect({ path: host, headers, signal });
  const { statusCode, socket } = await opening.catch((cause: unknown) => {
    // The code alone: a message of the system would expose addresses.
    const { code, name } = cause as NodeJS.ErrnoException;
    throw new TunnelError(`The proxy opened no tunnel: ${code ?? name}`, { cause });
  });
  const isOpen = statusCode >= 200 && statusCode < 300;
  // Neither TLS nor HTTP has the server speak first: a request would take these bytes for its response.
  if (!isOpen || socket.readableLength > 0) {
    socket.destroy();
    const problem = isOpen ? 'sent data before the service could' : `responded with status ${statusCode}`;
    throw new TunnelError(`The proxy ${problem}`);
  }
  signal.addEventListener('abort', () => socket.destroy(), { once: true });
  return socket as Socket;
}

/** Credentials of the URL of a proxy (RFC 7617). */
export function authorizationOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

/**
 * dns.lookup() with the addresses of each family in random order: getaddrinfo() sorts them (RFC 6724), so one could get all
 * connections. The preferred family stays the first. If an address does not respond, Node tries the next one.
 */
export const lookupShuffled: LookupFunction = (hostname, options, callback) => {
  dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const rankOf = ({ family }: LookupAddress) => Number(family !== addresses[0]?.family);
    const byRank = (one: LookupAddress, other: LookupAddress) =>
      rankOf(one) - rankOf(other) || Math.random() - 0.5;
    callback(error, error ? [] : addresses.toSorted(byRank));
  });
};

/** Has Node's HTTP client reach another server, for requests to one URL, as the service is reached. */
export function createAgent(url: URL, timeoutMs: number, proxies: ProxySettings): http.Agent {
  const { protocol, host, port } = url;
  const target = { protocol, host, port, hostname: url.hostname.replaceAll(/[[\]]/g, '') };
  const connectorFor = createConnector({ timeoutMs, proxy: proxyFor(url, proxies) });
  const agent = new (protocol === 'https:' ? https : http).Agent({ keepAlive: true });
  return Object.assign(agent, {
    createConnection(_options: object, callback: (error: Error | null, socket?: Duplex) => void): void {
      const { signal } = new AbortController(); // not one for all: each tunnel adds a listener, which holds its socket
      connectorFor(signal)(target, (...[error, socket]) => callback(error, socket ?? undefined));
    },
  });
}

/** Gets JSON from another server than the service. Rejects with why there is none, without a word of the response. */
export async function getJson(url: URL, agent: http.Agent, timeoutMs: number): Promise<unknown> {
  // The connection closes: the next request may be minutes away, and could meet one that the server is closing.
  const headers = { accept: 'application/json', connection: 'close', 'user-agent': SERVICE_NAME };
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      http.get(url, { agent, headers, signal }, resolve).on('error', reject);
    });
    if (response.statusCode !== 200) throw new Error(`Expected status 200, got ${response.statusCode}`);
    return await json(response);
  } catch (error) {
    if (signal.aborted) throw new Error(`No response within ${timeoutMs} ms`, { cause: error });
    if (error instanceof SyntaxError) throw new Error('Expected JSON', { cause: error }); // its message quotes the body
    throw error;
  }
}
