/** The state that the steps of the probe share, and its calls: the gateway's own reads, one at a time, with what their responses show. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseChallenge } from '../domain/parameters.js';
import type { Config } from '../config/config.js';
import type { VariableName } from '../config/variables.js';
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
import { createTransports, type Transport } from '../transport/transport.js';

/** The response to a call, as far as the steps look at it. */
export interface Observation<Result = unknown> {
  /** Undefined without a response. */
  readonly status: number | undefined;
  readonly headers: RestResponse['headers'];
  /** The result, if the response proves success. */
  readonly result: Result | undefined;
  readonly error: GatewayError | undefined;
  /** The response in words. What others say in them is redacted and quoted. */
  readonly description: string;
  /** Target of a redirect. */
  readonly target: URL | undefined;
}

type ProbeCall = <Parameters extends object, Result>(
  operation: RestOperation<Parameters, Result>,
  parameters: Parameters,
  /** Settings to try instead of those in effect. */
  settings?: Partial<ServiceSettings>,
) => Promise<Observation<Result>>;

/**
 * `proven`: the gateway is configured for what was seen. `set`: another habit was seen, and a variable has to have another value.
 * `failed`: something else keeps the gateway from working. `noted`: a habit that no variable changes. `open`: nothing was seen that tells.
 */
export type Verdict = 'failed' | 'noted' | 'open' | 'proven' | 'set';

/** The state that the steps of the probe share. */
export interface Probe {
  readonly call: ProbeCall;
  readonly hasToken: boolean;
  /** The settings in effect, with what has been found so far. */
  settings(): ServiceSettings;
  /** `subject` is a variable, a member of notifications, or a few words. */
  report(verdict: Exclude<Verdict, 'set'>, subject: string, description: string): void;
  /** From here on, the variable has this value. */
  set(variable: VariableName, value: string, description: string): void;
}

/** The probe ends after this time in milliseconds, whatever happens. */
const MAX_DURATION_MS = 90_000;

/** A failed read is a finding, and is not retried unless the service says when. All calls are dry runs, which send no write. */
export function createProbeCalls(
  { service, http, token }: Config & { token: string | undefined },
  settingsInEffect: () => ServiceSettings,
  onWait: (seconds: number) => void,
) {
  const end = performance.now() + MAX_DURATION_MS;
  const peer = { address: 'probe' };
  const authorization = token === undefined ? undefined : `Bearer ${token}`;
  const cancellation = new Cancellation();
  const queue = createLargeResponses(http.maxLargeResponses);
  const client = {
    authorization,
    peer,
    isTokenMalformed: false,
    isDryRun: true,
    cancellation,
    ids: { requestId: randomUUID() },
    observer: unobserved,
    memory: new ResponseMemory({ queue, client: { authorization, peer }, cancellation, requestBytes: 0 }),
  };
  const transports = createTransports({ ...service, retries: 0, telemetry: unobserved });

  const call: ProbeCall = async (operation, parameters, settings) => {
    for (let attempts = 0; ; attempts += 1) {
      const seen: Seen = {};
      const makeCall = createRestCalls({
        settings: { ...settingsInEffect(), ...settings },
        telemetry: unobserved,
        transportTo(url) {
          const transport = transports.to(url);
          const send: Transport['send'] = (call, scope) => {
            const inspect: Call['inspect'] = (response) => {
              Object.assign(seen, { call, response, target: redirectTarget(response, call) });
              call.inspect?.(response);
            };
            return transport.send({ ...call, inspect }, scope);
          };
          return { ...transport, send };
        },
      });
      const deadline = Math.min(end, performance.now() + service.timeoutMs);
      const settled = await makeCall({ ...operation, token: 'optional' }, parameters, client, deadline)
        .then((result) => ({ result, error: undefined }))
        .catch((error: unknown) => {
          if (error instanceof GatewayError) return { result: undefined, error };
          throw error;
        });
      const { status, headers = {} } = seen.response ?? { status: undefined };
      const seconds = Math.max(settled.error?.retryAfterSeconds ?? Infinity, 2 ** attempts);
      if (!isBusy({ status }) || performance.now() + seconds * 1000 > end)
        return {
          status,
          headers,
          ...settled,
          description: describe(seen, settled.error),
          target: seen.target,
        };
      onWait(seconds);
      await delay(seconds * 1000);
    }
  };
  return { call, stop: () => transports.stop() };
}

/** Whether the service will process the call at another time, which says nothing about the call. */
export function isBusy({ status }: Pick<Observation, 'status'>): boolean {
  return status === 429 || status === 503;
}

interface Seen {
  call?: Call;
  response?: Pick<RestResponse, 'headers' | 'status'>;
  /** Target of a redirect. */
  target?: URL | undefined;
}

/** The response, or why there was none: what Node.js, OpenSSL or the proxy says of it. */
function describe({ call, response, target }: Seen, error: GatewayError | undefined): string {
  if (call === undefined || response === undefined) {
    const { code = '', message = '' }: Partial<NodeJS.ErrnoException> = error?.cause ?? {};
    const reason = `${code} ${message}`.trim();
    return ['no response,', error?.message ?? '', ...(reason === '' ? [] : [quote(reason)])].join(' ');
  }
  const { status, headers } = response;
  if (target !== undefined) return `${status} to ${quote(call.redactUrl(target))}`;
  const mediaType = mediaTypeOf(response) ?? 'application/json';
  const { description } = parseChallenge(headers['www-authenticate']);
  const described = description === undefined ? undefined : call.messagesOf({ text: description }, status);
  const texts = [...(error?.serviceMessages ?? []), ...(described ?? [])].map(textOf);
  const retryAfter = headerOf(response, 'retry-after');
  return [
    String(status),
    ...(mediaType === 'application/json' ? [] : [quote(mediaType)]),
    ...(error !== undefined && status < 300 ? [error.message] : []),
    ...(retryAfter === undefined ? [] : [`with Retry-After ${quote(retryAfter)}`]),
    ...(texts.length === 0 ? [] : [quote([...new Set(texts)].join(' '))]),
  ].join(' ');
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
