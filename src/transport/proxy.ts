/** Egress proxies: which one an origin is behind, and the tunnel through it (CONNECT, RFC 9110 §9.3.6). */
import { Socket } from 'node:net';
import { domainToASCII } from 'node:url';
import { Client, type buildConnector } from 'undici';
import { SERVICE_NAME } from '../version.js';

/** As the variables of the same names have them. */
export interface ProxySettings {
  readonly httpProxy?: URL | undefined;
  readonly httpsProxy?: URL | undefined;
  readonly noProxy?: string | undefined;
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
  { httpProxy, httpsProxy, noProxy = '' }: ProxySettings,
): Proxy | undefined {
  const url = origin.protocol === 'https:' ? httpsProxy : httpProxy;
  if (url === undefined || isExcluded(origin, noProxy)) return undefined;
  return { origin: url.origin, address: addressOf(url), authorization: authorizationOf(url) };
}

/** Credentials of the URL of a proxy (RFC 7617). Throws a URIError if they are not percent-encoded. */
export function authorizationOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

/**
 * Whether NO_PROXY has the host, a domain that it belongs to, or `*`: as undici reads it, and with IPv6 addresses. A name with a port
 * stands for that port alone.
 */
function isExcluded(origin: URL, noProxy: string): boolean {
  const host = origin.hostname.replace(/\.$/, '');
  const entries = noProxy.split(/[\s,]+/).filter(Boolean);
  return entries.some((entry) => {
    if (entry === '*') return true;
    const [, name = entry, port] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
    const domain = domainOf(name);
    return (
      (host === domain || host.endsWith(`.${domain}`)) && (port === undefined || port === portOf(origin))
    );
  });
}

/** In the form that URLs have: in lower case, with an IPv6 address in brackets. */
function domainOf(name: string): string {
  const bare = name.replace(/^\*?\./, '').replace(/\.$/, '');
  const host = /^[^[]*:/.test(bare) ? `[${bare}]` : bare;
  return domainToASCII(host) || host.toLowerCase();
}

function addressOf(url: URL): string {
  return `${url.hostname}:${portOf(url)}`;
}

function portOf({ port, protocol }: Pick<URL, 'port' | 'protocol'>): string {
  return port || (protocol === 'https:' ? '443' : '80');
}

/** A proxy that opened no tunnel. The message is for the log; clients read that the service is unreachable. */
export class TunnelError extends Error {
  override readonly name = 'TunnelError';
}

/** Opens a tunnel to an origin; aborting the signal tears it down. */
export type OpenTunnel = (
  origin: Pick<buildConnector.Options, 'hostname' | 'port' | 'protocol'>,
  signal: AbortSignal,
  callback: (...result: [TunnelError, null] | [null, Socket]) => void,
) => void;

/**
 * `connect` opens the connections to the proxy. Each tunnel has an undici client of its own: it parses the response as strictly as responses of
 * the service.
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
    const headers = {
      host: target,
      'proxy-connection': 'keep-alive', // undici sends `connection: close`, which old proxies apply to the tunnel
      'user-agent': SERVICE_NAME,
      ...(authorization !== undefined && { 'proxy-authorization': authorization }),
    };
    let isConnected = false;
    let tearDown = () => {};
    client.dispatch(
      { method: 'CONNECT', path: target, headers },
      {
        onRequestStart(controller) {
          isConnected = true;
          tearDown = () => controller.abort(new Error('Cancelled'));
          if (signal.aborted) tearDown();
          else signal.addEventListener('abort', () => tearDown(), { once: true });
        },
        onRequestUpgrade(_controller, status, _headers, socket) {
          const isOpen = status >= 200 && status < 300;
          // Neither TLS nor HTTP has the server speak first: a request would take these bytes for its response.
          if (isOpen && socket instanceof Socket && socket.readableLength === 0) {
            tearDown = () => socket.destroy();
            callback(null, socket);
            return;
          }
          socket.destroy();
          const problem = isOpen ? 'sent data before the service could' : `responded with status ${status}`;
          callback(new TunnelError(`The proxy ${problem}`), null);
        },
        onResponseError(_controller, cause) {
          const step = isConnected ? 'No valid response of the proxy' : 'Could not connect to the proxy';
          callback(new TunnelError(`${step}: ${codeOf(cause)}`, { cause }), null);
        },
      },
    );
  };
}

/** The code alone: a message of the system would expose addresses. */
function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
