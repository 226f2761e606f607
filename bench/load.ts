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
  /** The body of a response per second, with the index of its request in `requests`. */
  samples: Sample[];
}

export interface Sample {
  request: number;
  body: string;
}

const SAMPLE_INTERVAL_MS = 1000;

/** Grace period in milliseconds for the last responses. */
const RESPONSE_TIMEOUT_MS = 10_000;

/** Resolves when every request has its response; throws on the first response of another status or length than expected. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  const samples: Sample[] = [];
  let sent = 0;
  const clients = await Promise.all(
    Array.from({ length: options.connections }, () => connectClient(options)),
  );
  const closeAll = () => {
    for (const client of clients) client.close();
  };
  const startedAt = performance.now();
  const endsAt = startedAt + options.seconds * 1000;
  let nextSampleAt = startedAt + SAMPLE_INTERVAL_MS / 2;
  const send = async (client: LoadClient, dueAt: number) => {
    const request = sent++ % options.requests.length;
    const bytes = options.requests[request] as Buffer;
    const isSample = dueAt >= nextSampleAt;
    if (isSample) nextSampleAt += SAMPLE_INTERVAL_MS;
    const body = await client.send(options.hasKeys ? withNewKey(bytes) : bytes, isSample);
    latenciesMs.push(performance.now() - dueAt);
    if (isSample) samples.push({ request, body });
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
  return { responses: latenciesMs.length, seconds, latenciesMs: latenciesMs.sort((a, b) => a - b), samples };
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
