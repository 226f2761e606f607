/** Makes REST calls: to which base URL, with which token, and with which secrets kept out of errors and previews. */
import { stringifyObject } from '../domain/json.js';
import { tokenOf } from '../domain/parameters.js';
import { shellQuote } from '../domain/text.js';
import {
  basePathOf,
  baseUrlOf,
  requestOf,
  sentParameters,
  type RestOperation,
  type ServiceSettings,
} from './operations.js';
import { reasonsIn } from './reasons.js';
import { collectScalars, hostForms, INTERNAL_ADDRESS, publicMessages, redact, redactUrl } from './redact.js';
import type { Telemetry } from '../telemetry/events.js';
import type { Call, CallScope, CallClient, RequestPreview } from '../transport/calls.js';
import { adviceOnTls } from '../transport/descriptions.js';
import { ACCEPTED_CODINGS, type Content, type JsonResponse } from '../transport/response.js';
import { GatewayError } from '../gatewayError.js';
import type { Transport } from '../transport/transport.js';

export interface RequestClient extends CallClient, CallScope {
  /** The Authorization header, if it holds a bearer token. */
  readonly authorization: string | undefined;
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
  /** States what was expected and what arrived. @default the failure's message */
  readonly message?: string;
}

/**
 * Makes a call of an operation and reads its 2xx response. `deadline` is when it times out, on the clock of performance.now(); by default,
 * the transport decides. A read that has one belongs to a write: it is never shared, and no cache may respond to it.
 */
export type MakeCall = <Parameters extends object, Result>(
  operation: RestOperation<Parameters, Result>,
  parameters: Parameters,
  client: RequestClient,
  deadline?: number,
) => Promise<Result>;

export interface RestCallOptions {
  settings: ServiceSettings;
  transportTo: (url: URL) => Transport;
  telemetry: Telemetry;
}

/** Whether a call, or the field that makes it, needs the client's token. */
export type TokenPolicy = RestOperation<never, unknown>['token'] | 'none';

const TOKEN_MALFORMED = 'Expected the header "Authorization: Bearer <token>", got another value';

/** Why the client may not make calls with this policy: it is unknown, its token is missing, or what it sent is not a bearer token. */
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

/** Whether the service responded that it has no such resource. */
export function isNotFound(error: unknown): error is GatewayError {
  return error instanceof GatewayError && error.failure === 'notFound';
}

export function createRestCalls({ settings, transportTo, telemetry }: RestCallOptions): MakeCall {
  const placeholders = Object.keys(settings.shipmentParameters).map((name) => [name, `<${name}>`] as const);
  /** The settings with placeholders for secret parameters. */
  const previewSettings = { ...settings, shipmentParameters: Object.fromEntries(placeholders) };
  const { serviceUrl, serviceHeaders } = settings;
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
      urlVariable: url.href === serviceUrl.href ? 'SERVICE_URL' : 'SHIPMENT_SERVICE_URL',
      transport: transportTo(url),
      isTokenWithheld: baseUrl === 'shipmentServiceUrl' && !settings.forwardTokenToShipmentService,
      secrets: [...fixedSecrets, ...hostForms(url)],
      /** Tokens that were rejected since the last response that is no 401. */
      rejectedTokens: new Set<string>(),
      /** Whether a call has succeeded: then its URL is right. */
      hasSucceeded: false,
    };
  };
  const hosts = { serviceUrl: hostOf('serviceUrl'), shipmentServiceUrl: hostOf('shipmentServiceUrl') };

  return (operation, parameters, client, deadline) => {
    const { method, token, dedupeAs, notFoundMessage, adviceOn } = operation;
    const host = hosts[operation.baseUrl];
    const { url, basePath, urlVariable, transport, isTokenWithheld, secrets, rejectedTokens } = host;
    const { authorization, ids, observer } = client;
    const problem = tokenProblem(client, token);
    if (problem) return Promise.reject(problem);
    const headers: Record<string, string> = {
      accept: 'application/json',
      'accept-encoding': ACCEPTED_CODINGS,
      'user-agent': 'shipment-graphql-gateway',
      'x-request-id': ids.requestId,
    };
    Object.assign(headers, serviceHeaders);
    if (authorization !== undefined && !isTokenWithheld) headers['authorization'] = authorization;
    const tokens = () => (authorization === undefined ? [] : [tokenOf(authorization)]);
    const mustBypassCaches = method === 'GET' && deadline !== undefined;
    if (mustBypassCaches) headers['cache-control'] = 'no-cache';
    const { path, body } = requestOf(operation, parameters, settings);
    // A message may quote the path of the call.
    const allSecrets = () => [...secrets, ...tokens(), (basePath + path).replace(/\?.*/, '')];
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
      preview: () => {
        const request = requestOf(operation, parameters, previewSettings);
        return previewRequest({ ...request, method, headers }, urlVariable, serviceHeaders);
      },
      client,
      inspect: mustBypassCaches ? rejectStored(performance.now()) : undefined,
      read: (response: JsonResponse) => {
        const { [response.status]: reason } = method === 'GET' ? inconclusiveReads : inconclusiveWrites;
        if (reason !== undefined)
          throw new GatewayError('responseInvalid', { message: reason, status: response.status });
        return operation.read(response, parameters);
      },
      messagesOf: (content: Content, status: number) =>
        publicMessages(
          reasonsIn(content, sentParameters(operation, parameters, settings), status),
          allSecrets,
        ),
      redactUrl: (target: URL) => redactUrl(target, [...fixedSecrets, ...tokens()]),
      dedupeAs: deadline === undefined ? dedupeAs : undefined,
      deadline,
    };
    if (client.isDryRun && method !== 'GET') {
      observer.skippedByDryRun(call);
      return Promise.reject(new GatewayError('dryRun'));
    }
    return transport.send(call, client).then(
      (result) => {
        host.hasSucceeded = true;
        if (rejectedTokens.size > 0) rejectedTokens.clear();
        return withoutSecrets(result, allSecrets);
      },
      (error: unknown) => {
        if (!(error instanceof GatewayError)) throw error;
        const { failure, status } = error;
        if (failure === 'cancelled') telemetry.restCallCancelled({ ...ids, method, result: 'aborted' });
        const { authorization: rejected } = headers;
        if (failure !== 'unauthenticated') {
          if (status !== undefined) rejectedTokens.clear();
        } else if (rejected !== undefined && rejectedTokens.size < MANY_TOKENS) rejectedTokens.add(rejected);
        const isOfOperator = namesCredential(error, settings);
        const problem =
          adviceOn?.(error, settings, parameters) ??
          adviceOnCredentials(error, isOfOperator, rejectedTokens) ??
          (host.hasSucceeded ? undefined : adviceOnTls(error, call));
        if (problem !== undefined)
          telemetry.contractDeviated({ ...ids, method, origin: url.origin, route: call.route, problem });
        if (isNotFound(error) && notFoundMessage !== undefined)
          throw error.with({ message: notFoundMessage });
        const isTokenSent = authorization !== undefined && !isTokenWithheld;
        throw isTokenSent && !isOfOperator ? error : withoutBlameForToken(error);
      },
    );
  };
}

/** Redacts the messages of a success, which may quote the request, too. */
function withoutSecrets<Result>(result: Result, secrets: () => readonly string[]): Result {
  const { messages } = (result ?? {}) as { messages?: unknown[] };
  return messages?.length ? { ...result, messages: redact(messages, secrets(), INTERNAL_ADDRESS) } : result;
}

/** Why a 2xx to a read proves nothing, by its status: a part of a response (RFC 9110 §15.3.7) does not show the whole. */
const inconclusiveReads: Readonly<Record<number, string>> = {
  206: 'The response is only part of the resource',
};

/** A write that was accepted is not completed, and may never be (RFC 9110 §15.3.3); with 207 it may have failed (RFC 4918 §13). */
const inconclusiveWrites: typeof inconclusiveReads = {
  ...inconclusiveReads,
  202: 'The service accepted the request, but has not completed it',
  207: 'The response has a status for each of several resources',
};

/** Rejects a response that a cache stored before the call despite `no-cache`: its Age, in seconds, says so (RFC 9111 §5.1). */
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

/** So many clients' tokens in a row are not likely to be all invalid. */
const MANY_TOKENS = 5;

/** Advice for the log: the operator may have to set the credentials that the gateway sends with every call. */
const CREDENTIAL_ADVICE =
  'a key in SERVICE_HEADERS or SHIPMENT_PARAMETERS may be missing or not valid, whatever token the client sends';

function adviceOnCredentials(
  { failure }: GatewayError,
  isOfOperator: boolean,
  rejectedTokens: ReadonlySet<string>,
): string | undefined {
  if (failure !== 'unauthenticated') return undefined;
  if (isOfOperator) return `401 names a key: ${CREDENTIAL_ADVICE}`;
  return rejectedTokens.size === MANY_TOKENS
    ? `401 for ${MANY_TOKENS} different tokens in a row: ${CREDENTIAL_ADVICE}`
    : undefined;
}

/** Whether a 401 says that a credential of the operator is missing or wrong: then the client's token is not to blame. */
function namesCredential(
  { failure, serviceMessages }: GatewayError,
  { serviceHeaders, shipmentParameters }: ServiceSettings,
): boolean {
  if (failure !== 'unauthenticated' || serviceMessages === undefined) return false;
  const text = JSON.stringify(serviceMessages).toLowerCase();
  const words = text.split(/[^\w-]+/);
  const names = [serviceHeaders, shipmentParameters].flatMap(Object.keys);
  return (
    /\b(?:api|subscription)[ _-]?key\b/.test(text) || names.some((name) => words.includes(name.toLowerCase()))
  );
}

/** A call as clients see it, with variables of the shell in place of the base URL, the token and the values of fixed headers. */
function previewRequest(
  { method, path, body, headers: { authorization, ...others } }: Omit<RequestPreview, 'curl'>,
  urlVariable: string,
  fixedHeaders: RequestPreview['headers'],
): RequestPreview {
  const variables = {
    // HEADER_X_API_KEY for x-api-key.
    ...Object.fromEntries(
      Object.keys(fixedHeaders).map((name) => [name, `$HEADER_${name.toUpperCase().replaceAll(/\W/g, '_')}`]),
    ),
    ...(authorization !== undefined && { authorization: 'Bearer $TOKEN' }),
  };
  // Without accept-encoding: curl prints a compressed body as it is.
  const literals = Object.entries(others).filter(
    ([name]) => name !== 'accept-encoding' && !(name in variables),
  );
  const words = [
    `curl -X ${method} ${quoteUrl(urlVariable, path)}`,
    ...literals.map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`),
    ...Object.entries(variables).map(([name, value]) => `-H "${name.replaceAll(/[$`]/g, '\\$&')}: ${value}"`),
    ...(body === undefined ? [] : [`-d ${shellQuote(stringifyObject(body))}`]),
  ];
  return { method, path, body, headers: { ...others, ...variables }, curl: words.join(' ') };
}

/** Characters that have no meaning to a shell between double quotes, not even to an interactive one. */
const PLAIN_PATH = /^[\w/.~?&=;:@,%+*()'<>-]*$/;

function quoteUrl(urlVariable: string, path: string): string {
  return PLAIN_PATH.test(path) ? `"$${urlVariable}${path}"` : `"$${urlVariable}"${shellQuote(path)}`;
}
