/** Reads a request: its path, the gateway's headers, the client's address, and its description for spans. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { parseBearerToken, tokenOf } from '../domain/parameters.js';
import type { RequestClient } from '../freight/restCall.js';
import { REDACTED, type RequestAttributes, type RequestTelemetry } from '../telemetry/requestTelemetry.js';
import type { RequestIds } from '../telemetry/requestSummary.js';
import type { Client } from '../transport/queue.js';

export const GRAPHQL_PATH = '/graphql';

/** Whether a request is for the GraphQL endpoint, whatever its method; the target may be in absolute form (RFC 9112 §3.2.2). */
export function isGraphQLPath(request: FastifyRequest): boolean {
  const { url } = request;
  // The usual target first: Fastify computes the route options on every access.
  return (
    url === GRAPHQL_PATH || request.routeOptions.url === GRAPHQL_PATH || url.split('?')[0] === GRAPHQL_PATH
  );
}

export const REQUEST_ID_HEADER = 'x-request-id';
export const DRY_RUN_HEADER = 'x-gateway-dry-run';
const TRACE_HEADER = 'x-gateway-trace';
const SUBGRAPH_TOKEN_HEADER = 'x-subgraph-token';
const IDEMPOTENCY_KEY_HEADER = 'idempotency-key';
export const CLIENT_KEY_HEADER = 'x-client-key';
/** A JWT of the client, where `Authorization` belongs to the service. */
export const CLIENT_AUTHORIZATION_HEADER = 'x-client-authorization';

/** The client's request id, if it is short and simple enough for headers and logs. */
export function readRequestId(headers: IncomingHttpHeaders): string | undefined {
  const requestId = headers[REQUEST_ID_HEADER];
  return typeof requestId === 'string' && /^[\w.:-]{1,128}$/.test(requestId) ? requestId : undefined;
}

/** Whether the response lists the REST calls: requested, or implied by a dry run. */
export function requestsTrace(headers: IncomingHttpHeaders): boolean {
  return headers[TRACE_HEADER] === '1' || headers[DRY_RUN_HEADER] === '1';
}

/** The header `Idempotency-Key` as the client sent it; undefined for a number that its browser has added. */
export function idempotencyHeaderOf(headers: IncomingHttpHeaders): string | undefined {
  const { [IDEMPOTENCY_KEY_HEADER]: key } = headers;
  return typeof key === 'string' && !BROWSER_KEY.test(key) ? key : undefined;
}

/** The key that Firefox adds to each POST with `network.http.idempotencyKey.enabled`: a random 64-bit number, new for each attempt. */
const BROWSER_KEY = /^"\d{12,20}"$/;

/** Creates a check for the token of a router: one of the configured tokens, of which there are two during a rotation. */
export function createSubgraphTokenCheck(tokens: readonly string[]) {
  const accepted = tokens.map(digestOf);
  return ({ [SUBGRAPH_TOKEN_HEADER]: sent }: IncomingHttpHeaders): boolean => {
    if (typeof sent !== 'string') return false;
    const digest = digestOf(sent);
    return accepted.filter((each) => timingSafeEqual(digest, each)).length > 0; // compares with all, so its time reveals nothing
  };
}

/** Digests have equal lengths, so the time of comparing them reveals nothing about the secret. */
export function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Maximum bytes of a header that the gateway or a library parses: an Accept header of 15 kB took 7 ms of CPU. */
const MAX_PARSED_HEADER_BYTES = 1024;

/**
 * The headers to which that limit applies. It does not apply to Authorization, because tokens may be longer. Headers whose
 * invalid values are ignored (X-Request-Id, traceparent, tracestate) are ignored if they are too long as well.
 */
const PARSED_HEADERS = [
  'accept',
  'content-type',
  'host',
  'origin',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  DRY_RUN_HEADER,
  TRACE_HEADER,
  SUBGRAPH_TOKEN_HEADER,
  CLIENT_KEY_HEADER,
];

/** A message about a header that is too long (RFC 6585 §5); undefined if no header is. */
export function headerLengthProblem(headers: IncomingHttpHeaders): string | undefined {
  for (const name of PARSED_HEADERS) {
    const bytes = headers[name]?.length; // Node decodes headers as Latin-1, one character per byte
    if (bytes !== undefined && bytes > MAX_PARSED_HEADER_BYTES)
      return `Expected the header ${name} to have at most ${MAX_PARSED_HEADER_BYTES} bytes, got ${bytes}`;
  }
  return undefined;
}

/** A Host header (RFC 3986 §3.2.2): a name or IPv4 address, or an IPv6 address in brackets, and possibly a port. No name needs percent-encoding. */
const HOST = /^(?:[\w.~!$&'()*+,;=-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/** Whether there is one valid Host header (RFC 9112 §3.2): several are joined. Probes of load balancers, in HTTP/1.0, have none. */
export function hasValidHost({ headers: { host }, httpVersion }: IncomingMessage): boolean {
  return host === undefined ? httpVersion === '1.0' : HOST.test(host);
}

/** An element of X-Forwarded-For with the port that some proxies append: `192.0.2.1:80`, `[2001:db8::1]:80`. */
const ADDRESS_WITH_PORT = /^(?:([\d.]+):\d+|\[([\da-f:.]*:[\da-f:.]*)\](?::\d+)?)$/i;

/**
 * Cuts off the ports in X-Forwarded-For, which would make a separate client of each connection. If the element that a trusted proxy added
 * is still not an address, uses the address of the connection and returns false.
 */
export function readForwardedFor(request: FastifyRequest): boolean {
  const { headers } = request;
  const { 'x-forwarded-for': forwarded } = headers;
  if (typeof forwarded !== 'string' || forwarded.length > MAX_PARSED_HEADER_BYTES) return true;
  headers['x-forwarded-for'] = forwarded
    .split(',')
    .map((element) => element.trim().replace(ADDRESS_WITH_PORT, '$1$2'))
    .join();
  if (!request.raw.socket.remoteAddress || isIP(request.ip) !== 0) return true;
  delete headers['x-forwarded-for'];
  return false;
}

/** Normalizing an address of IPv6, or of IPv4 as IPv6 has it, takes 10 µs, a tenth of what a request takes. */
const addresses = new LRUCache<string, string>({ max: 10_000, memoMethod: (ip) => normalizeIP(ip) });

/** For limits: IPv6 by /64, because clients choose the other bits. Fastify has none if the client has disconnected, despite its type. */
export function clientAddress({ ip = 'disconnected' }: { readonly ip?: string | undefined }): string {
  return addresses.memo(ip);
}

/** Its keys are distinct whatever they are made of: no token contains a comma or an @, and no address a = at its start. */
export function clientOf(request: FastifyRequest): Client & Pick<RequestClient, 'authorization'> {
  const { quotaKey, headers } = request;
  const authorization = parseBearerToken(headers.authorization);
  if (quotaKey !== undefined) return { authorization, keys: [`,=${quotaKey}`, `@=${quotaKey}`] };
  const address = clientAddress(request);
  const token = authorization === undefined ? `,${address}` : tokenOf(authorization);
  return { authorization, keys: [token, `@${address}`] };
}

/** The IDs of a request in log lines; health checks have no telemetry. */
export function idsOf({
  id,
  telemetry,
}: Pick<FastifyRequest, 'id'> & { telemetry?: RequestTelemetry }): RequestIds {
  return telemetry?.ids ?? { requestId: id };
}

/** Bytes of the body, as its headers declare; as many as it may have if they do not. */
export function declaredBytes({ headers }: FastifyRequest, maxBodyBytes: number): number {
  if (headers['transfer-encoding'] !== undefined) return maxBodyBytes;
  return Math.min(Number(headers['content-length'] ?? 0), maxBodyBytes);
}

/** The scheme of the original request, as far as trusted proxies tell. */
export function schemeOf({ protocol }: FastifyRequest): 'http' | 'https' {
  return (protocol as string) === 'https' ? 'https' : 'http';
}

/** The maximum length of a name in DNS (RFC 1035 §2.3.4), which a Host header may exceed. */
const MAX_HOST_LENGTH = 255;
const MAX_USER_AGENT_LENGTH = 256;

/** The original request, as far as trusted proxies tell. For spans alone, because computing it involves parsing. */
export function describeRequest(request: FastifyRequest): RequestAttributes {
  const { headers, host, ip, raw } = request;
  const { url: route } = request.routeOptions;
  const scheme = schemeOf(request);
  const hasHost = host.length <= MAX_HOST_LENGTH && HOST.test(host);
  return {
    'http.route': route,
    // Routes have no parameters. Any other path may be anything, such as a token in the wrong place.
    'url.path': route?.startsWith('/') ? route : `/${REDACTED}`,
    'url.query': request.url.includes('?') ? REDACTED : undefined,
    'url.scheme': scheme,
    'server.address': hasHost ? request.hostname.replaceAll(/[[\]]/g, '') : undefined,
    'server.port': hasHost ? (request.port ?? (scheme === 'https' ? 443 : 80)) : undefined,
    'client.address': isIP(ip) === 0 ? undefined : ip,
    'network.peer.address': raw.socket.remoteAddress,
    'network.peer.port': raw.socket.remotePort,
    'network.protocol.version': raw.httpVersion,
    'user_agent.original': headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH),
  };
}
