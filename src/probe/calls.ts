/** The calls of the probe: the gateway's own reads, one at a time, with what their responses show. */
import { randomUUID } from 'node:crypto';
import type { Config } from '../config/config.js';
import { quote } from '../domain/text.js';
import type { RestOperation, ServiceSettings } from '../freight/operations.js';
import { createRestCalls } from '../freight/restCall.js';
import type { Telemetry } from '../telemetry/events.js';
import type { Call, CallObserver } from '../transport/calls.js';
import { Cancellation } from '../transport/cancellation.js';
import { redirectTarget } from '../transport/descriptions.js';
import { createLargeResponses, ResponseMemory } from '../transport/largeResponses.js';
import { headerOf, mediaTypeOf, type RestResponse } from '../transport/response.js';
import { GatewayError, type ServiceMessage } from '../gatewayError.js';
import type { Client } from '../transport/queue.js';
import { createTransports } from '../transport/transport.js';

/** What the response to a call shows, and the result that it proves, or why it proves none. */
export type Observation<Result = unknown> = ReturnType<typeof observe> & {
  readonly result?: Result;
  readonly error?: GatewayError;
};

/** The probe ends after this time in milliseconds, whatever happens. */
const MAX_DURATION_MS = 90_000;

/** A failed read is a finding, and is not retried. All calls are dry runs, which send no write. */
export function createProbeCalls({ service, http, token }: Config & { token: string | undefined }) {
  const end = performance.now() + MAX_DURATION_MS;
  const identity: Client = { keys: ['probe', '@probe'] };
  const cancellation = new Cancellation();
  const queue = createLargeResponses(http.maxLargeResponses);
  const client = {
    ...identity,
    authorization: token && `Bearer ${token}`,
    isTokenMalformed: false,
    isDryRun: true,
    cancellation,
    ids: { requestId: randomUUID() },
    observer: unobserved,
    memory: new ResponseMemory({ queue, client: identity, cancellation, requestBytes: 0 }),
  };
  const transports = createTransports({ ...service, retries: 0, telemetry: unobserved });

  const call = async <Parameters extends object, Result>(
    operation: RestOperation<Parameters, Result>,
    parameters: Parameters,
    settings: ServiceSettings,
  ): Promise<Observation<Result>> => {
    let seen: Seen | undefined;
    const makeCall = createRestCalls({
      settings,
      telemetry: unobserved,
      transportTo: (url) => ({
        ...transports.to(url),
        send: (call, scope) =>
          transports
            .to(url)
            .send({ ...call, inspect: (response) => void (seen = { call, response }) }, scope),
      }),
    });
    const deadline = Math.min(end, performance.now() + service.timeoutMs);
    try {
      const result = await makeCall({ ...operation, token: 'optional' }, parameters, client, deadline);
      return { ...observe(seen), result };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return { ...observe(seen, error), error };
    }
  };
  return { call, stop: () => transports.stop() };
}

interface Seen {
  readonly call: Call;
  readonly response: Pick<RestResponse, 'headers' | 'status'>;
}

/** What a response shows, and the target of a redirect; or why there was none. What others say is redacted and quoted. */
function observe(seen: Seen | undefined, error?: GatewayError) {
  if (seen === undefined) {
    const { code = '', message = '' }: Partial<NodeJS.ErrnoException> = error?.cause ?? {};
    const reason = `${code} ${message}`.trim();
    const description = `no response, ${error?.message ?? ''}${reason === '' ? '' : ` ${quote(reason)}`}`;
    return { status: undefined, target: undefined, isBusy: false, description };
  }
  const { call, response } = seen;
  const { status } = response;
  const target = redirectTarget(response, call);
  const mediaType = mediaTypeOf(response) ?? 'application/json';
  const challenge = headerOf(response, 'www-authenticate');
  const asked = challenge === undefined ? [] : call.messagesOf({ text: challenge }, status);
  const texts = [...(error?.serviceMessages ?? []), ...(asked ?? [])].map(textOf);
  const retryAfter = headerOf(response, 'retry-after');
  const words = [
    ...(mediaType === 'application/json' ? [] : [quote(mediaType)]),
    ...(error !== undefined && status < 300 ? [error.message] : []),
    ...(retryAfter === undefined ? [] : [`with Retry-After ${quote(retryAfter)}`]),
    ...(texts.length === 0 ? [] : [quote([...new Set(texts)].join(' '))]),
  ];
  const description = [status, ...(target ? [`to ${quote(call.redactUrl(target))}`] : words)].join(' ');
  // Then the service will process the call at another time, which says nothing about the call.
  const isBusy = status === 429 || status === 503;
  return { status, target, isBusy, description };
}

function textOf(message: ServiceMessage): string {
  const said = message.toJSON();
  const { message: text = said } = Object(said) as { message?: unknown };
  return typeof text === 'string' ? text : JSON.stringify(text);
}

/** Ignores each event, and each span of an attempt: the responses have all that the probe reports. */
const unobserved = new Proxy({} as CallObserver & Telemetry, {
  get: () => () => ({ headers: undefined, end: () => undefined }),
});
