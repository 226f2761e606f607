/** A REST service with a real store that loses responses: it knows what it applied, and what each read was told. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { serve } from '../http/serve.js';

export type StoredNotification = Record<string, unknown> & { notificationGuid: string };

/** What becomes of one request. */
export interface Fate {
  /** When a write is applied, in milliseconds from its arrival. @default never */
  appliedAfterMs?: number;
  /** @default the correct response */
  response?: 'cut' | 'garbage' | 'hang' | 'reset' | number;
  /** Changes what a read returns, as a service that stores other spellings does. */
  asRead?: (stored: StoredNotification) => StoredNotification;
}

/** A write that arrived. */
export interface ReceivedWrite {
  method: string;
  /** The state that it asks for; undefined for a deletion. */
  asked: StoredNotification | undefined;
}

/** The state of a notification when it was read, and whether the response tells it. */
export interface ReceivedRead {
  state: StoredNotification | undefined;
  isTold: boolean;
}

export interface ForgetfulService {
  readonly url: string;
  readonly store: Map<string, StoredNotification>;
  /** The writes of each notification. */
  readonly writes: Map<string, ReceivedWrite[]>;
  /** The last read of each notification, which a write that timed out on its way may follow. */
  readonly lastReads: Map<string, ReceivedRead>;
  fateOf: (method: string, notificationGuid: string) => Fate;
  stop(): Promise<void>;
}

const PATH = '/v1/customnotifications/';

export async function startForgetfulService(): Promise<ForgetfulService> {
  const store = new Map<string, StoredNotification>();
  const writes = new Map<string, ReceivedWrite[]>();
  const lastReads = new Map<string, ReceivedRead>();

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '' } = request;
    const guid = url.slice(PATH.length);
    const body = await text(request);
    const fate = service.fateOf(method, guid);
    if (method === 'GET') {
      const state = store.get(guid);
      lastReads.set(guid, { state, isTold: fate.response === undefined });
      send(response, fate, state && (fate.asRead?.(state) ?? state));
      return;
    }
    const asked = method === 'PUT' ? toStored(JSON.parse(body) as StoredNotification) : undefined;
    writes.set(guid, [...(writes.get(guid) ?? []), { method, asked }]);
    const apply = () => {
      if (asked) store.set(guid, asked);
      else store.delete(guid);
    };
    if (fate.appliedAfterMs === 0) apply();
    else if (fate.appliedAfterMs !== undefined) setTimeout(apply, fate.appliedAfterMs);
    send(response, fate, asked);
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => request.destroy()); // the gateway may abort its request
  });
  const service: ForgetfulService = {
    ...(await serve(server)),
    store,
    writes,
    lastReads,
    fateOf: () => ({ appliedAfterMs: 0 }),
  };
  return service;
}

function send(response: ServerResponse, fate: Fate, notification: StoredNotification | undefined): void {
  const isFound = notification !== undefined || response.req.method === 'DELETE';
  const body = Buffer.from(
    JSON.stringify({ data: notification ? [notification] : [], messages: [], totalPossibleCount: 1 }),
  );
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  if (fate.response === 'hang') return;
  if (fate.response === 'reset') response.destroy();
  else if (fate.response === 'cut')
    response.writeHead(200, headers).write(body.subarray(0, 20), () => response.destroy());
  else if (fate.response === 'garbage') response.writeHead(200, headers).end('x'.repeat(body.length));
  else response.writeHead(fate.response ?? (isFound ? 200 : 404), headers).end(body);
}

/** Phone numbers are stored as digits alone, and recipient types in one spelling. */
function toStored(body: StoredNotification): StoredNotification {
  const digits = (body['smsList'] as string[] | undefined)?.map((number) => number.slice(1));
  const notificationRecipientType = digits ? 'shipmentLevel' : 'stopLevel';
  return { ...body, notificationRecipientType, ...(digits && { smsList: digits }) };
}
