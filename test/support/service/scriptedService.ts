/** A REST service behind a proxy: every response is what a script says, to the byte. */
import { createServer } from 'node:http';
import { serve } from '../http/serve.js';

export interface Reply {
  /** @default 200 */
  status?: number;
  /** @default application/json, if there is a body; null for none */
  type?: string | null;
  headers?: Record<string, string>;
  body?: string;
  /** The body is announced as longer than it is, and the connection closes, or stays open. */
  bodyIs?: 'cut' | 'late';
}

export interface ScriptedService {
  readonly url: string;
  /** `METHOD path`, and ` no-cache` where the request says so. Identifiers that the gateway makes up are `…/control`. */
  readonly calls: string[];
  respond: (method: string, path: string, body: string) => Reply;
  stop(): Promise<void>;
}

const CONTROL = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** `known` are the identifiers of the tests, all others are made up. */
export async function startScriptedService(known: readonly string[]): Promise<ScriptedService> {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const isKnown = known.some((guid) => url.endsWith(guid));
    const path = isKnown ? url : url.replace(CONTROL, 'control');
    calls.push(
      `${method} ${path}${headers['cache-control'] === undefined ? '' : ` ${headers['cache-control']}`}`,
    );
    let received = '';
    request.setEncoding('utf8').on('data', (text: string) => (received += text));
    request.once('end', () => {
      const {
        status = 200,
        body = '',
        type = body && 'application/json',
        bodyIs,
        ...reply
      } = service.respond(method, path, received);
      response.writeHead(status, {
        ...(type && { 'content-type': type }),
        ...(bodyIs !== undefined && { 'content-length': Buffer.byteLength(body) + 10 }),
        ...reply.headers,
      });
      if (bodyIs === undefined) response.end(body);
      else response.write(body, () => bodyIs === 'cut' && response.destroy());
    });
  });
  const service: ScriptedService = {
    ...(await serve(server)),
    calls,
    respond: () => ({ status: 500 }),
  };
  return service;
}
