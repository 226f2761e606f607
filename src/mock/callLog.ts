/** Receives each call before its handler runs: records it, delays it, injects a fault, and logs it once it ends. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { injectFault, type Fault, type RestCall } from './faults.js';
import { replaceRequest, translateCall, type Habits } from './habits.js';

export type CallRecorder = ReturnType<typeof createCallRecorder>;

export function createCallRecorder(options: {
  record: (call: RestCall) => void;
  faultFor: (call: RestCall) => Fault | undefined;
  /** The habits of the service that gets the call; undefined for the habits of the contract. */
  habitsFor: (call: RestCall) => Habits | undefined;
  /** Delay of every response in milliseconds, in addition to the delay of its fault. */
  latencyMs: number;
  /** Aborts pending delays. */
  signal: AbortSignal;
}) {
  const { signal } = options;
  const bodies = new WeakMap<IncomingMessage, Buffer>();
  const habits = new WeakMap<IncomingMessage, Habits>();
  return {
    /** Records the request, then injects a fault, or calls `respond` for the real response. */
    async receive(request: IncomingMessage, response: ServerResponse, respond: () => void): Promise<void> {
      const body = await buffer(request).catch(() => undefined);
      if (body === undefined) return; // the client disconnected while sending
      bodies.set(request, body);
      const call = toCall(request, body.toString());
      options.record(call);

      const habitsOfService = options.habitsFor(call);
      const translated = habitsOfService && translateCall(call, habitsOfService);
      const fault = options.faultFor(call) ?? translated?.fault ?? {};
      const delayMs = options.latencyMs + (fault.delayMs ?? 0);
      if (delayMs > 0) await sleep(delayMs, undefined, { signal }).catch(() => undefined);
      if (fault.heldUntil && !signal.aborted) await Promise.race([fault.heldUntil, once(signal, 'abort')]);
      if (signal.aborted) return;
      if (injectFault(response, fault)) return;
      if (habitsOfService) habits.set(request, habitsOfService);
      if (translated?.url !== undefined) {
        bodies.set(request, Buffer.from(translated.body));
        replaceRequest(request, translated);
      }
      respond();
    },
    /** Body of a recorded request, whose own stream has been consumed. */
    bodyOf: (request: IncomingMessage) => bodies.get(request) ?? Buffer.alloc(0),
    habitsOf: (request: IncomingMessage) => habits.get(request),
  };
}

function toCall(request: IncomingMessage, body: string): RestCall {
  const { method = '', url = '', headers } = request;
  const [path = '', ...query] = url.split('?');
  return { method, path, query: query.join('?'), headers, body };
}

/** Counts the writes that arrive, whatever they lead to, and those among them that arrived before. It keeps no bodies. */
export function createWriteCounter() {
  const digests = new Set<string>();
  let received = 0;
  return {
    add({ method, path, query, body }: RestCall): void {
      if (method === 'GET') return;
      received += 1;
      digests.add(
        createHash('sha256')
          .update(JSON.stringify([method, path, query, body]))
          .digest('base64'),
      );
    },
    read: () => ({ received, repeated: received - digests.size }),
    reset(): void {
      received = 0;
      digests.clear();
    },
  };
}

/** Logs a line once the response is complete, or the connection closed. */
export function logCall(request: IncomingMessage, response: ServerResponse, log: (line: string) => void) {
  const { method = '', url = '' } = request;
  const start = performance.now();
  response.once('close', () => {
    const result = response.writableFinished ? String(response.statusCode) : 'disconnected';
    log(`${method} ${url} ${result} ${Math.round(performance.now() - start)} ms`);
  });
}
