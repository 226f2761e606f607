import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { injectFault, type Fault } from './faultInjection.js';

/** A request as the service received it. */
export interface RestCall {
  method: string;
  /** As received, neither decoded nor normalized, without the query. */
  path: string;
  /** As received, without its question mark; '' when there is none. */
  query: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface CallRecorder {
  /** Records the request, then either spoils its answer or lets the service give it. */
  receive(request: IncomingMessage, response: ServerResponse, answer: () => void): Promise<void>;
  /** For the service, which finds the request's own stream at its end. */
  bodyOf(request: IncomingMessage): Buffer;
}

export function createCallRecorder(options: {
  record: (call: RestCall) => void;
  faultFor: (call: RestCall) => Fault | undefined;
  /** Ends every delay. */
  signal: AbortSignal;
}): CallRecorder {
  const bodies = new WeakMap<IncomingMessage, Buffer>();
  return {
    async receive(request, response, answer) {
      const body = await buffer(request).catch(() => undefined);
      if (body === undefined) return; // the caller left before the end of its request
      bodies.set(request, body);
      const call = toCall(request, body.toString());
      options.record(call);

      const interference = options.faultFor(call) ?? {};
      if (interference.delayMs !== undefined) {
        await sleep(interference.delayMs, undefined, { signal: options.signal }).catch(() => undefined);
        if (options.signal.aborted) return;
      }
      if (!injectFault(response, interference)) answer();
    },
    bodyOf: (request) => bodies.get(request) ?? Buffer.alloc(0),
  };
}

function toCall(request: IncomingMessage, body: string): RestCall {
  const { method = '', url = '', headers } = request;
  const [path = '', ...query] = url.split('?');
  return { method, path, query: query.join('?'), headers, body };
}
