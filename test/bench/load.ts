/**
 * Callers of a gateway, over as many connections. They write prepared bytes and read as little of an answer as they can,
 * so that they take little of the core that they share with the REST service.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openCaller, type Caller, type CallerOptions } from './loadClient.js';

export interface LoadOptions extends CallerOptions {
  connections: number;
  /** Whole HTTP requests, sent one after the other, and again from the first. */
  requests: readonly Buffer[];
  seconds: number;
  /** Requests come at this rate; without it, each caller sends its next request as soon as it has its answer. */
  perSecond?: number;
}

export interface LoadResult {
  answers: number;
  seconds: number;
  /** Sorted. */
  latenciesMs: number[];
}

const PATIENCE_MS = 10_000;

/** Ends when every request that was sent is answered; throws at the first wrong answer. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  let sent = 0;
  const nextRequest = () => options.requests[sent++ % options.requests.length] as Buffer;

  const callers = await Promise.all(Array.from({ length: options.connections }, () => openCaller(options)));
  const closeAll = () => {
    for (const caller of callers) caller.close();
  };
  const startedAt = performance.now();
  const endsAt = startedAt + options.seconds * 1000;
  const call = async (caller: Caller, dueAt: number) => {
    await caller.send(nextRequest());
    latenciesMs.push(performance.now() - dueAt);
  };
  const patience = setTimeout(closeAll, options.seconds * 1000 + PATIENCE_MS);
  try {
    await Promise.all(
      callers.map((caller, index) => {
        if (options.perSecond === undefined) return callInTurn(caller, call, endsAt);
        const intervalMs = (callers.length / options.perSecond) * 1000;
        const dueAt = startedAt + (index / callers.length) * intervalMs;
        return callAtIntervals(caller, call, { dueAt, intervalMs, endsAt });
      }),
    );
  } finally {
    clearTimeout(patience);
    closeAll();
  }
  const seconds = (performance.now() - startedAt) / 1000;
  return { answers: latenciesMs.length, seconds, latenciesMs: latenciesMs.sort((a, b) => a - b) };
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

type Call = (caller: Caller, dueAt: number) => Promise<void>;

async function callInTurn(caller: Caller, call: Call, endsAt: number): Promise<void> {
  for (let now = performance.now(); now < endsAt; now = performance.now()) await call(caller, now);
}

/**
 * Sends at fixed intervals, or as soon as the answer before has come: then the time runs from the moment at which the
 * request was due, as it would for a caller of its own.
 */
async function callAtIntervals(
  caller: Caller,
  call: Call,
  { dueAt, intervalMs, endsAt }: Schedule,
): Promise<void> {
  for (let at = dueAt; at < endsAt; at += intervalMs) {
    const delayMs = at - performance.now();
    if (delayMs > 0) await sleep(delayMs);
    await call(caller, delayMs > 0 ? performance.now() : at);
  }
}

interface Schedule {
  dueAt: number;
  intervalMs: number;
  endsAt: number;
}
