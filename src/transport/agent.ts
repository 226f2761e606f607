/** Has Node's HTTP client reach other servers as the service is reached: through the same proxies, with the same time for each address. */
import http from 'node:http';
import https from 'node:https';
import { json } from 'node:stream/consumers';
import type { Duplex } from 'node:stream';
import { createConnector } from './connector.js';
import { SERVICE_NAME } from '../version.js';
import { proxyFor, type ProxySettings } from './proxy.js';

export interface AgentOptions {
  proxies: ProxySettings;
  /** Timeout in milliseconds of each step: the connection, the proxy's response, TLS. */
  timeoutMs: number;
}

/** For requests to one URL. */
export function createAgent(url: URL, { timeoutMs, proxies }: AgentOptions, keepAlive = true): http.Agent {
  const { protocol, host, port } = url;
  const target = { protocol, host, port, hostname: url.hostname.replaceAll(/[[\]]/g, '') };
  const connect = createConnector({ timeoutMs, proxy: proxyFor(url, proxies) })(new AbortController().signal);
  const agent = new (protocol === 'https:' ? https : http).Agent({ keepAlive });
  return Object.assign(agent, {
    createConnection(_options: object, callback: (error: Error | null, socket?: Duplex) => void): void {
      connect(target, (...[error, socket]) => callback(error, socket ?? undefined));
    },
  });
}

/** Reads a URL that is JSON, in at most `timeoutMs` altogether, each time on a new connection. */
export function createJsonClient(url: URL, options: AgentOptions): () => Promise<unknown> {
  const agent = createAgent(url, options, false);
  const { timeoutMs } = options;
  return async () => {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = new Promise<http.IncomingMessage>((resolve, reject) => {
      const headers = { accept: 'application/json', 'user-agent': SERVICE_NAME };
      http.get(url, { agent, headers, signal }, resolve).on('error', reject);
    });
    try {
      const { statusCode } = await response;
      if (statusCode !== 200) throw new Error(`Expected status 200, got ${statusCode}`);
      return await json(await response);
    } catch (error) {
      if (signal.aborted) throw new Error(`No response within ${timeoutMs} ms`, { cause: error });
      throw error instanceof SyntaxError ? new Error('Expected JSON', { cause: error }) : error;
    }
  };
}
