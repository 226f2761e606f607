/** The calls of the probe: the gateway's own, one at a time, with everything that their responses show. */
import { randomUUID } from 'node:crypto';
import type { Config } from '../config/config.js';
import { createRestCalls } from '../freight/restCall.js';
import type { RestOperation, ServiceSettings } from '../freight/operations.js';
import type { CallObserver, TransportObserver } from '../transport/calls.js';
import { clientCertificateOf, type ClientCertificateObserver } from '../transport/clientCertificate.js';
import { createLargeResponses, Reading } from '../transport/largeResponses.js';
import { mediaTypeOf, type RestResponse } from '../transport/response.js';
import { ServiceError } from '../transport/serviceError.js';
import { Cancellation } from '../transport/cancellation.js';
import { createTransports, type Transport } from '../transport/transport.js';

/** What a call showed. */
export interface Observation<Result = unknown> {
  /** Undefined without a response. */
  readonly status: number | undefined;
  readonly headers: RestResponse['headers'];
  /** The JSON body; undefined if there is none. */
  readonly body: unknown;
  /** Of a response that proves success. */
  readonly result: Result | undefined;
  readonly error: ServiceError | undefined;
  /** The response in words, without values of the service but its messages, redacted. */
  readonly summary: string;
}

export type ProbeCall = <Parameters extends object, Result>(
  operation: RestOperation<Parameters, Result>,
  parameters: Parameters,
  options?: ProbeCallOptions,
) => Promise<Observation<Result>>;

export interface ProbeCallOptions {
  /** Settings to try instead of those in effect. */
  settings?: Partial<ServiceSettings>;
  /** Leaves out the token. @default false */
  isAnonymous?: boolean;
}

/** Thrown by a call for which no time is left. */
export class ProbeTimedOut extends Error {
  override readonly name = 'ProbeTimedOut';
}

export interface ProbeCallsOptions {
  config: Config;
  /** The settings in effect, which change with what is found. */
  settingsInEffect: () => ServiceSettings;
  /** When the probe ends, on the clock of performance.now(). */
  end: number;
}

/** Nothing else sends calls, so that no call has to wait for another one. A failed read is not retried: its failure is a finding. */
export function createProbeCalls({ config, settingsInEffect, end }: ProbeCallsOptions) {
  const { token } = config.probe;
  let slowestMs = 0;
  const clientCertificate = clientCertificateOf(config.service, ignoreEvents);
  const transports = createTransports({
    ...config.service,
    clientCertificate,
    retries: 0,
    observer: ignoreEvents,
  });
  const cancellation = new Cancellation();
  const peer = { address: 'probe' };
  const queue = createLargeResponses(config.http.maxLargeResponses);

  const call: ProbeCall = async (operation, parameters, options = {}) => {
    const authorization = token === undefined || options.isAnonymous ? undefined : `Bearer ${token}`;
    const client = { authorization, peer };
    const reading = new Reading({ queue, client, cancellation, requestBytes: 0 });
    const seen: Seen = { response: undefined, body: undefined };
    const makeCall = createRestCalls({
      settings: { ...settingsInEffect(), ...options.settings },
      transportTo: (url) => observed(transports.to(url), seen),
    });
    const startedAt = performance.now();
    if (startedAt >= end) throw new ProbeTimedOut();
    const outcome = await makeCall(
      authorization === undefined ? { ...operation, token: 'optional' } : operation,
      parameters,
      {
        authorization,
        isTokenMalformed: false,
        isDryRun: false,
        peer,
        cancellation,
        reading,
        ids: { requestId: randomUUID() },
        observer: ignoreAttempts,
      },
      { deadline: Math.min(end, startedAt + config.service.timeoutMs) },
    )
      .then((result) => ({ result, error: undefined }))
      .catch((error: unknown) => {
        if (error instanceof ServiceError) return { result: undefined, error };
        throw error;
      })
      .finally(() => reading.release());
    const { status, headers = {} } = seen.response ?? { status: outcome.error?.status };
    const summary = summaryOf(seen, outcome.error);
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    return { status, headers, body: seen.body, ...outcome, summary };
  };
  return {
    call,
    /** The longest time that a call took, in milliseconds. */
    slowestMs: () => slowestMs,
    stop: () => transports.stop(),
  };
}

interface Seen {
  response: Pick<RestResponse, 'headers' | 'status'> | undefined;
  body: unknown;
}

/** The transport, with the status, the headers and the JSON body of its next response in `seen`. */
function observed(transport: Transport, seen: Seen): Transport {
  return {
    ...transport,
    send: (call, scope) =>
      transport.send(
        {
          ...call,
          inspect(response) {
            seen.response = response;
            call.inspect?.(response);
          },
          read(response) {
            const json = response.json.bind(response);
            const readJson: typeof json = (options) => (seen.body = json(options));
            return call.read(Object.assign(response, { json: readJson }));
          },
          messagesOf(content, status) {
            seen.body = 'json' in content ? content.json : content.text;
            return call.messagesOf(content, status);
          },
        },
        scope,
      ),
  };
}

/** Maximum members of a body that are named, and characters of its messages that are quoted. */
const MAX_MEMBERS = 12;
const MAX_MESSAGE_CHARACTERS = 100;

function summaryOf({ response }: Seen, error: ServiceError | undefined): string {
  if (response === undefined) return reasonOf(error);
  const mediaType = mediaTypeOf(response);
  const messages = (error?.serviceMessages ?? []).map((message) => textOf(message.toJSON())).join(' ');
  return [
    String(response.status),
    ...(mediaType === undefined || mediaType === 'application/json' ? [] : [mediaType]),
    ...(error !== undefined && response.status < 400 ? [error.message] : []),
    ...(messages === '' ? [] : [`"${truncated(messages)}"`]),
  ].join(' ');
}

/** A message of the service, whatever its shape. */
function textOf(message: unknown): string {
  const { message: text = message } = Object(message) as { message?: unknown };
  return typeof text === 'string' ? text : JSON.stringify(text);
}

function truncated(text: string): string {
  return text.length > MAX_MESSAGE_CHARACTERS ? `${text.slice(0, MAX_MESSAGE_CHARACTERS)}…` : text;
}

/** Why there was no response: the code of the system says most. */
function reasonOf(error: ServiceError | undefined): string {
  const { cause } = error ?? {};
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? `${error?.message ?? ''} (${code})` : (error?.message ?? 'no response');
}

/** The type of a value, with the names of its members, but none of its values. */
export function describeJson(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : `a ${typeof value}`;
  const names = Object.keys(value).filter((name) => /^[\w.$-]{1,40}$/.test(name));
  const shown = names.slice(0, MAX_MEMBERS).join(', ');
  return `an object of ${names.length > MAX_MEMBERS ? `${shown}, …` : shown || 'no members'}`;
}

const ignore = () => undefined;
const ignoreAttempts: CallObserver = {
  waited: ignore,
  start: () => ({ headers: undefined, end: ignore }),
  deduplicated: ignore,
  skippedByDryRun: ignore,
  askedRedis: ignore,
};
const ignoreEvents: ClientCertificateObserver & TransportObserver = {
  onClientCertificate: ignore,
  onCallCancelled: ignore,
  onCallShed: ignore,
  onConnectionFailure: ignore,
  onContractDeviation: ignore,
  onContractViolation: ignore,
  onCircuitChange: ignore,
};
