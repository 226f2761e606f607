/** Every request header that the gateway defines, read once per request. */
import type { IncomingHttpHeaders } from 'node:http';

export const REQUEST_ID_HEADER = 'x-request-id';
export const DRY_RUN_HEADER = 'x-gateway-dry-run';
const TRACE_HEADER = 'x-gateway-trace';
const SUBGRAPH_TOKEN_HEADER = 'x-subgraph-token';
const IDEMPOTENCY_KEY_HEADER = 'idempotency-key';

/** The request headers of the public contract that are the gateway's; proxies may have to let them pass. */
export const GATEWAY_HEADERS = [
  REQUEST_ID_HEADER,
  DRY_RUN_HEADER,
  TRACE_HEADER,
  SUBGRAPH_TOKEN_HEADER,
  IDEMPOTENCY_KEY_HEADER,
];

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
];

/** Why a header is too long (RFC 6585 §5); undefined if none is. */
export function headerLengthProblem(headers: IncomingHttpHeaders): string | undefined {
  for (const name of PARSED_HEADERS) {
    const bytes = headers[name]?.length; // Node decodes headers as Latin-1, one character per byte
    if (bytes !== undefined && bytes > MAX_PARSED_HEADER_BYTES)
      return `Expected the header ${name} to have at most ${MAX_PARSED_HEADER_BYTES} bytes, got ${bytes}`;
  }
  return undefined;
}

/** A name or IPv4 address, or an IPv6 address in brackets, and possibly a port. */
const HOST = /^(?:[\w.~!$&'()*+,;=-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/** Whether a Host header is present and well-formed (RFC 9112 §3.2, RFC 3986 §3.2.2); no name needs percent-encoding. */
export function isValidHost(host: string | undefined): boolean {
  return host !== undefined && HOST.test(host);
}

export interface GatewayHeaders {
  /** Whether the response lists the REST calls: requested, or implied by a dry run. */
  traceRequested: boolean;
  /** Whether writes are not sent; the only valid value of the header is 1. */
  dryRun: 'off' | 'on' | 'invalid';
  subgraphToken: string | undefined;
  /** As the client sent it. */
  idempotencyKey: string | undefined;
}

export function readGatewayHeaders(headers: IncomingHttpHeaders): GatewayHeaders {
  const dryRun = headers[DRY_RUN_HEADER];
  const subgraphToken = headers[SUBGRAPH_TOKEN_HEADER];
  const idempotencyKey = headers[IDEMPOTENCY_KEY_HEADER];
  return {
    traceRequested: headers[TRACE_HEADER] === '1' || dryRun === '1',
    dryRun: dryRun === undefined ? 'off' : dryRun === '1' ? 'on' : 'invalid',
    subgraphToken: typeof subgraphToken === 'string' ? subgraphToken : undefined,
    idempotencyKey: typeof idempotencyKey === 'string' ? idempotencyKey : undefined,
  };
}

/** The client's request id, if it is short and simple enough for headers and logs. */
export function readRequestId(headers: IncomingHttpHeaders): string | undefined {
  const requestId = headers[REQUEST_ID_HEADER];
  return typeof requestId === 'string' && /^[\w.:-]{1,128}$/.test(requestId) ? requestId : undefined;
}
