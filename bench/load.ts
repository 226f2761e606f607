/**
 * Load generator: each client has its own connection. Clients write prepared bytes and parse as little of a response as
 * possible because they share a core with the REST service.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { connectClient, withNewKey, type LoadClient, type LoadClientOptions } from './loadClient.js';

export interface LoadOptions extends LoadClientOptions {
  connections: number;
  /** Complete HTTP requests, sent round-robin. */
  requests: readonly Buffer[];
  /** Whether each request gets an idempotency key of its own. @default false */
  hasKeys?: boolean;
  seconds: number;
  /** Total request rate; if undefined, each client sends its next request as soon as it has the response. */
  perSecond?: number;
}

export interface LoadResult {
  responses: number;
  seconds: number;
  /** Ascending. */
  latenciesMs: number[];
}

/** Grace period in milliseconds for the last responses. */
const RESPONSE_TIMEOUT_MS = 10_000;

/** Resolves when every request has its response; throws on the first wrong response. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  let sent = 0;
  const nextRequest = () => {
    const request = options.requests[sent++ % options.requests.length] as Buffer;
    return options.hasKeys ? withNewKey(request) : request;
  };

  const clients = await Promise.all(
    Array.from({ length: options.connections }, () => connectClient(options)),
  );
  const closeAll = () => {
    for (const client of clients) client.close();
  };
  const startedAt = performance.now();
  const endsAt = startedAt + options.seconds * 1000;
  const send = async (client: LoadClient, dueAt: number) => {
    await client.send(nextRequest());
    latenciesMs.push(performance.now() - dueAt);
  };
  const timer = setTimeout(closeAll, options.seconds * 1000 + RESPONSE_TIMEOUT_MS);
  try {
    await Promise.all(
      clients.map((client, index) => {
        if (options.perSecond === undefined) return sendBackToBack(client, send, endsAt);
        const intervalMs = (clients.length / options.perSecond) * 1000;
        const dueAt = startedAt + (index / clients.length) * intervalMs;
        return sendAtIntervals(client, send, { dueAt, intervalMs, endsAt });
      }),
    );
  } finally {
    clearTimeout(timer);
    closeAll();
  }
  const seconds = (performance.now() - startedAt) / 1000;
  return { responses: latenciesMs.length, seconds, latenciesMs: latenciesMs.sort((a, b) => a - b) };
}

export function percentile(sorted: readonly number[], fraction: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? NaN;
}

type Send = (client: LoadClient, dueAt: number) => Promise<void>;

async function sendBackToBack(client: LoadClient, send: Send, endsAt: number): Promise<void> {
  for (let now = performance.now(); now < endsAt; now = performance.now()) await send(client, now);
}

/**
 * Sends at fixed intervals, or late if the previous response was late. A late request's latency counts from when it was
 * due, which avoids coordinated omission.
 */
async function sendAtIntervals(
  client: LoadClient,
  send: Send,
  { dueAt, intervalMs, endsAt }: Schedule,
): Promise<void> {
  for (let at = dueAt; at < endsAt; at += intervalMs) {
    const delayMs = at - performance.now();
    if (delayMs > 0) await sleep(delayMs);
    await send(client, delayMs > 0 ? performance.now() : at);
  }
}

interface Schedule {
  dueAt: number;
  intervalMs: number;
  endsAt: number;
}
