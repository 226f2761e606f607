/** Describes failed calls for the log, without values of clients and hosts. */
import { GatewayError } from '../gatewayError.js';
import type { Call } from './calls.js';
import { TunnelError } from './connector.js';
import { headerOf, isJson, mediaTypeOf, type RestResponse } from './response.js';

/** Names the likely cause for an operator: most often, something else than the service has responded. */
export function describeViolation(
  { failure, message, problem = message }: GatewayError,
  call: Call,
  response: RestResponse | undefined,
): string {
  if (response && response.status >= 300 && response.status < 400)
    return `${problem}; ${describeRedirect(response, call)}`;
  const mediaType = response && foreignMediaType(response);
  const isPage = response?.status === 200 && /html$/.test(mediaType ?? '');
  const pathAdvice = failure === 'foreignNotFound' && `${call.routeVariable} may be wrong`;
  const urlAdvice = isPage && `${call.urlVariable} or ${call.routeVariable} may be wrong`;
  return [problem, mediaType, pathAdvice, urlAdvice].filter(Boolean).join('; ');
}

function describeRedirect(response: RestResponse, call: Call): string {
  const { status } = response;
  if (headerOf(response, 'location') === undefined) return `${status} without a Location`;
  const target = redirectTarget(response, call);
  if (target === undefined) return `${status} with a Location that is not an HTTP URL`;
  const { baseUrl, urlVariable, redactUrl } = call;
  const description = `${status} to ${redactUrl(target)}`;
  return isUpgrade(target, call)
    ? `${description}; set ${urlVariable} to ${target.origin}${baseUrl.pathname.replace(/\/$/, '')}`
    : description;
}

/** Services, and proxies in front of them, redirect from http to https on the same host. */
function isUpgrade({ protocol, hostname }: URL, { baseUrl }: Call): boolean {
  return baseUrl.protocol === 'http:' && protocol === 'https:' && hostname === baseUrl.hostname;
}

/**
 * Whether a 301 moves the request, which was not processed: to https, to a slash at the end, or to another letter case. 302 and 303 may lead
 * to the result of a write, which may have the same path: the list that a notification was added to.
 */
export function isMoved(response: RestResponse, call: Call): boolean {
  const target = response.status === 301 ? redirectTarget(response, call) : undefined;
  if (target === undefined) return false;
  const own = new URL(call.baseUrl.origin + call.path);
  if (isUpgrade(target, call)) return target.pathname + target.search === own.pathname + own.search;
  const canonical = ({ origin, pathname, search }: URL) =>
    `${origin}${pathname.replace(/\/$/, '').toLowerCase()}${search}`;
  return target.href !== own.href && canonical(target) === canonical(own);
}

/** The target of a redirect, resolved against the request (RFC 9110 §10.2.2); undefined if it is not an HTTP URL. */
export function redirectTarget(
  response: Pick<RestResponse, 'headers' | 'status'>,
  { baseUrl, path }: Call,
): URL | undefined {
  const location = headerOf(response, 'location');
  const requestUrl = baseUrl.origin + path;
  if (response.status < 300 || response.status >= 400 || location === undefined) return undefined;
  const target = URL.canParse(location, requestUrl) ? new URL(location, requestUrl) : undefined;
  return target !== undefined && /^https?:$/.test(target.protocol) ? target : undefined;
}

/** Media types that a log may show: pages, and what else proxies send. Any other could hold what the client sent. */
const SHOWN_MEDIA_TYPE = /^(?:application\/(?:octet-stream|xhtml\+xml|xml)|text\/(?:html|plain|xml))$/;

/** Describes the media type of a body for the log; undefined if it is JSON. */
export function foreignMediaType(response: RestResponse): string | undefined {
  if (isJson(response)) return undefined;
  const mediaType = mediaTypeOf(response);
  if (mediaType === undefined) return 'got no media type';
  return SHOWN_MEDIA_TYPE.test(mediaType) ? `got ${mediaType}` : 'got another media type';
}

/** The reason of a failed connection, such as OpenSSL's code, with the variable that may be wrong. */
export function reasonOfConnection(error: unknown, call: Call): string | undefined {
  const reason = safeErrorReason(error) ?? '';
  const isCut = error instanceof GatewayError && error.failure === 'connectionLost';
  // A TLS alert is not HTTP from its first byte on.
  if (call.baseUrl.protocol === 'http:' && (isCut || reason.startsWith('Expected HTTP/')))
    return `${reason}; ${setHttps(call)}`;
  if (/DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_/.test(reason))
    return `${reason}; if you trust its issuer, name a file with it in NODE_EXTRA_CA_CERTS`;
  if (/ALERT_(?:HANDSHAKE_FAILURE|CERTIFICATE_REQUIRED)/.test(reason))
    return `${reason}; the service may expect a SERVICE_CLIENT_CERT`;
  // Other words precede the code if the port is that of the proxy.
  return /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)/.test(reason)
    ? `${reason}; the port speaks no TLS: set ${call.urlVariable} to http://…`
    : reason;
}

/** Go says so in a line; Apache and nginx say so in a page, of which nothing is read. */
const SPEAKS_TLS = /HTTP request to an HTTPS server/;

/** Advises https after a 400 over http that something else than the service has sent. */
export function adviceOnTls(
  { status, form, serviceMessages = [] }: GatewayError,
  call: Call,
): string | undefined {
  if (status !== 400 || form !== undefined || call.baseUrl.protocol !== 'http:') return undefined;
  const isOfTls = serviceMessages.length === 0 || SPEAKS_TLS.test(JSON.stringify(serviceMessages));
  return isOfTls ? `400 without JSON; ${setHttps(call)}` : undefined;
}

function setHttps({ urlVariable }: Call): string {
  return `if the port speaks TLS, set ${urlVariable} to https://…`;
}

/** The error's code, such as ECONNREFUSED: the message of a system error would expose hosts. Or what the proxy did. */
export function safeErrorReason(error: unknown): string | undefined {
  if (!(error instanceof GatewayError)) return undefined;
  const { message, problem, cause } = error;
  if (problem !== undefined) return problem;
  if (cause instanceof TunnelError) return cause.message;
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : message;
}
