/** Makes REST calls: to which base URL, with which token, and with which secrets kept out of errors and previews. */
import { isRecord } from '../domain/json.js';
import { tokenOf } from '../domain/parameters.js';
import {
  basePathOf,
  baseUrlOf,
  requestOf,
  sentParameters,
  type ReadOperation,
  type RestOperation,
  type ServiceSettings,
} from './operations.js';
import { MAX_REASON_LENGTH, reasonsIn, type Reason } from './reasons.js';
import { normalizeText } from './reasonTexts.js';
import { createKeyAdvice } from './rejectionAdvice.js';
import { previewRequest } from './requestPreview.js';
import { collectScalars, createRedaction, hostForms, redact, redactUrl } from './redact.js';
import type { Telemetry } from '../telemetry/events.js';
import type { Call, CallObserver, CallScope, CallClient } from '../transport/calls.js';
import { adviceOnTls } from '../transport/descriptions.js';
import { ACCEPTED_CODINGS, type Content, type JsonResponse } from '../transport/response.js';
import { GatewayError, type ServiceMessage } from '../gatewayError.js';
import type { Transport } from '../transport/transport.js';

export interface RequestClient extends CallClient, CallScope {
  readonly observer: CallObserver;
  /** Whether the client sent an Authorization header that holds no bearer token. */
  readonly isTokenMalformed: boolean;
  /** Undefined if the client may use the operator's secrets, or if there are none. */
  readonly accessProblem?: AccessProblem | undefined;
  /** Whether only GETs may be sent. */
  readonly isDryRun: boolean;
}

/** Why a client may not make calls that bring secrets of the operator instead of a token of their own. */
export interface AccessProblem {
  readonly failure: 'clientUnknown' | 'clientUnverified';
  /** What was expected, and what arrived. @default the failure's message */
  readonly message?: string;
}

export interface CallOptions {
  /**
   * When the call times out, on the clock of performance.now(). A read that has one belongs to a write: it is never shared, and no
   * cache may respond to it. @default the transport's
   */
  deadline?: number | undefined;
}

/** Makes a call of an operation and reads its 2xx response. */
export type MakeCall = <Parameters extends object, Result>(
  operation: RestOperation<Parameters, Result>,
  parameters: Parameters,
  client: RequestClient,
  options?: CallOptions,
) => Promise<Result>;

/** Makes calls that have no effect. */
export type MakeRead = <Parameters extends object, Result>(
  operation: ReadOperation<Parameters, Result>,
  parameters: Parameters,
  client: RequestClient,
  options?: CallOptions,
) => Promise<Result>;

export interface RestCallOptions {
  settings: ServiceSettings;
  transportTo: (url: URL) => Transport;
  telemetry: Telemetry;
}

/** Whether a call, or the field that makes it, needs the client's token. */
export type TokenPolicy = RestOperation<never, unknown>['token'] | 'none';

const TOKEN_MALFORMED = 'Expected the header "Authorization: Bearer <token>", got another value';

/** Why the client may not make calls with this policy: it is unknown, its token is missing, or what it sent is no bearer token. */
export function tokenProblem(
  { authorization, isTokenMalformed, accessProblem }: RequestClient,
  policy: TokenPolicy,
): GatewayError | undefined {
  if (policy === 'required' && authorization === undefined)
    return new GatewayError('tokenMissing', isTokenMalformed ? { message: TOKEN_MALFORMED } : {});
  // Only such a call uses fixed secrets: it does not need a token of its own.
  if (policy === 'optional' && accessProblem)
    return new GatewayError(accessProblem.failure, { message: accessProblem.message });
  if (policy === 'optional' && isTokenMalformed) return new GatewayError('tokenMalformed');
  return undefined;
}

export function checkToken(client: RequestClient, policy: TokenPolicy): void {
  const problem = tokenProblem(client, policy);
  if (problem) throw problem;
}

export function tooManyReads(maxReads: number): GatewayError {
  return new GatewayError('tooManyReads', {
    message: `Expected at most ${maxReads} notifications, got more`,
  });
}

/** Whether the service responded that it has no such resource. */
export function isNotFound(error: unknown): error is GatewayError {
  return error instanceof GatewayError && error.failure === 'notFound';
}

export function createRestCalls({ settings, transportTo, telemetry }: RestCallOptions): MakeCall {
  const placeholders = Object.keys(settings.shipmentParameters).map((name) => [name, `<${name}>`] as const);
  /** With what previews show instead of secret parameters. */
  const redacted = { ...settings, shipmentParameters: Object.fromEntries(placeholders) };
  const { serviceUrl, serviceHeaders } = settings;
  const fixedHeaders = Object.keys(serviceHeaders).length > 0 ? serviceHeaders : undefined;
  const headerValues = Object.values(serviceHeaders);
  // A message may quote the credentials of a header without their scheme.
  const fixedSecrets = [
    ...collectScalars(settings.shipmentParameters),
    ...headerValues,
    ...headerValues.map(tokenOf),
  ];
  const hostOf = (baseUrl: RestOperation<never, unknown>['baseUrl']) => {
    const url = baseUrlOf({ baseUrl }, settings);
    return {
      url,
      basePath: basePathOf(url),
      /** The environment variable that holds the URL. */
      urlVariable: url.href === serviceUrl.href ? 'SERVICE_URL' : 'SHIPMENT_SERVICE_URL',
      transport: transportTo(url),
      isTokenWithheld: baseUrl === 'shipmentServiceUrl' && !settings.forwardTokenToShipmentService,
      keyAdvice: createKeyAdvice(settings),
      secrets: [...fixedSecrets, ...hostForms(url)],
    };
  };
  const hosts = { serviceUrl: hostOf('serviceUrl'), shipmentServiceUrl: hostOf('shipmentServiceUrl') };

  return (operation, parameters, client, { deadline } = {}) => {
    const { method, token, dedupeAs, notFoundMessage, adviceOn } = operation;
    const host = hosts[operation.baseUrl];
    const { url, basePath, urlVariable, transport, isTokenWithheld, keyAdvice, secrets } = host;
    const { authorization, ids, observer } = client;
    const problem = tokenProblem(client, token);
    if (problem) return Promise.reject(problem);
    const headers: Record<string, string> = {
      accept: 'application/json',
      'accept-encoding': ACCEPTED_CODINGS,
      'user-agent': 'shipment-graphql-gateway',
      'x-request-id': ids.requestId,
    };
    if (fixedHeaders !== undefined) Object.assign(headers, fixedHeaders);
    if (authorization !== undefined && !isTokenWithheld) headers['authorization'] = authorization;
    const tokens = () => (authorization === undefined ? [] : [tokenOf(authorization)]);
    const allSecrets = () => [...secrets, ...tokens()];
    const mustBypassCaches = method === 'GET' && deadline !== undefined;
    if (mustBypassCaches) headers['cache-control'] = 'no-cache';
    const rejectStoredResponse = mustBypassCaches ? rejectStored(performance.now()) : undefined;
    const { path, body } = requestOf(operation, parameters, settings);
    if (body !== undefined) headers['content-type'] = 'application/json';
    const call = {
      method,
      path: basePath + path,
      headers,
      body,
      baseUrl: url,
      route: operation.path(settings),
      routeVariable: operation.pathVariable,
      urlVariable,
      preview: () =>
        previewRequest(
          { method, headers, ...requestOf(operation, parameters, redacted) },
          { urlVariable, fixedHeaders },
        ),
      client,
      observer,
      inspect: (response: Parameters<NonNullable<Call['inspect']>>[0]) => {
        keyAdvice.onResponse(response.status, headers['authorization']);
        rejectStoredResponse?.(response);
      },
      read: (response: JsonResponse) => {
        const { [response.status]: doubt } = method === 'GET' ? readDoubts : writeDoubts;
        return doubt === undefined ? operation.read(response, parameters) : rejectSuccess(response, doubt);
      },
      messagesOf: (content: Content, status: number) => {
        const sent = sentParameters(operation, parameters, settings);
        return publicMessages(reasonsIn(content, sent, { isRejection: status >= 400 }), allSecrets);
      },
      redactUrl: (target: URL) => redactUrl(target, [...fixedSecrets, ...tokens()]),
      dedupeAs: deadline === undefined ? dedupeAs : undefined,
      deadline,
    };
    if (client.isDryRun && method !== 'GET') {
      observer.skippedByDryRun(call);
      return Promise.reject(new GatewayError('dryRun'));
    }
    return transport.send(call, client).then(
      (result) => withoutSecrets(result, allSecrets),
      (error: unknown) => {
        if (!(error instanceof GatewayError)) throw error;
        const problem = adviceOn?.(error, settings) ?? keyAdvice.adviceOn(error) ?? adviceOnTls(error, call);
        if (problem !== undefined)
          telemetry.contractDeviated({ ...ids, method, origin: url.origin, route: call.route, problem });
        if (isNotFound(error) && notFoundMessage !== undefined)
          throw error.with({ message: notFoundMessage });
        const isTokenSent = authorization !== undefined && !isTokenWithheld;
        throw isTokenSent && !keyAdvice.isAboutKey(error) ? error : withoutBlameForToken(error);
      },
    );
  };
}

/** Messages of a success may quote the request, too. */
function withoutSecrets<Result>(result: Result, secrets: () => readonly string[]): Result {
  const { messages } = (result ?? {}) as { messages?: unknown[] };
  return messages?.length ? { ...result, messages: redact(messages, secrets()) } : result;
}

/** Redacted when they are written: most never are, for example when a read finds nothing. */
function publicMessages(
  reasons: readonly Reason[],
  secrets: () => readonly string[],
): ServiceMessage[] | undefined {
  if (reasons.length === 0) return undefined;
  let redaction: ReturnType<typeof createRedaction> | undefined;
  const redact = (message: unknown) =>
    (redaction ??= createRedaction(secrets().flatMap((secret) => [secret, normalizeText(secret)])))(message);
  return reasons.map(({ said, field }) => {
    const message = field === undefined || typeof said !== 'string' ? said : { field, message: said };
    let written: { redacted: unknown } | undefined;
    return {
      field,
      size: JSON.stringify(message).length,
      toJSON: () => (written ??= { redacted: shorten(redact(message)) }).redacted,
    };
  });
}

/** After the redaction, because a secret that is cut is not found. */
function shorten(message: unknown): unknown {
  if (typeof message === 'string') return shortenText(message);
  if (!isRecord(message) || typeof message['message'] !== 'string') return message;
  return { ...message, message: shortenText(message['message']) };
}

function shortenText(text: string): string {
  if (text.length <= MAX_REASON_LENGTH) return text;
  return `${text.slice(0, MAX_REASON_LENGTH - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Why a 2xx proves nothing, by its status: a part of a response (RFC 9110 §15.3.7) does not show the whole. */
const readDoubts: Readonly<Record<number, string>> = {
  206: 'The response is only a part of what was asked for',
};

/** A write that was accepted is not completed, and may never be (RFC 9110 §15.3.3); with 207 it may have failed (RFC 4918 §13). */
const writeDoubts: typeof readDoubts = {
  ...readDoubts,
  202: 'The service accepted the request, but has not completed it',
  207: 'The response has a status for each of several resources',
};

/** The body is read for the messages alone. */
function rejectSuccess({ status, ...response }: JsonResponse, message: string): never {
  try {
    response.json();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
  }
  throw new GatewayError('responseInvalid', { message, status });
}

/**
 * Rejects responses that a cache stored before the call, though it had to validate them: only such a response is older than the call
 * (RFC 9111 §5.1). Age counts seconds.
 */
function rejectStored(startedAt: number): Call['inspect'] {
  return ({ status, headers: { age } }) => {
    if (!(Number(age) * 1000 > performance.now() - startedAt + 1000)) return;
    const message = 'The response comes from a cache that ignores "Cache-Control: no-cache"';
    throw new GatewayError('responseInvalid', { message, status });
  };
}

/** The token of the client, if the service got one, is not to blame for a 401. */
function withoutBlameForToken(error: GatewayError): GatewayError {
  if (error.failure !== 'unauthenticated') return error;
  const { status, retryAfterSeconds, serviceMessages } = error;
  return new GatewayError('rejected', { status, retryAfterSeconds, serviceMessages, cause: error });
}
