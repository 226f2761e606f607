/** The fault server with a script: every response is what it says, to the byte. */
import { startFaultServer } from './faultServer.js';
import type { FaultPlan } from './faults.js';

export interface Reply {
  /** @default 200 */
  status?: number;
  /** @default application/json, if there is a body; empty for none */
  type?: string;
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
  const server = await startFaultServer();
  const service: ScriptedService = {
    url: server.url,
    calls: [],
    respond: () => ({ status: 500 }),
    stop: () => server.stop(),
  };
  server.plan = ({ method, path, query, headers, body }) => {
    const target = query === '' ? path : `${path}?${query}`;
    const named = known.some((guid) => target.endsWith(guid)) ? target : target.replace(CONTROL, 'control');
    service.calls.push([method, named, headers['cache-control']].filter(Boolean).join(' '));
    return planOf(service.respond(method, named, body));
  };
  return service;
}

function planOf({ status = 200, body = '', type, bodyIs, headers }: Reply): FaultPlan {
  return {
    kind: 'respond',
    status,
    body,
    headers: {
      ...(type !== undefined && { 'content-type': type }),
      ...(bodyIs && { 'content-length': String(Buffer.byteLength(body) + 10) }),
      ...(bodyIs === 'cut' && { connection: 'close' }),
      ...headers,
    },
  };
}
