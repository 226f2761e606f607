/** Every request header that the gateway defines, read once per request. */
import type { IncomingHttpHeaders } from 'node:http';

export const REQUEST_ID_HEADER = 'x-request-id';
export const DRY_RUN_HEADER = 'x-gateway-dry-run';
const TRACE_HEADER = 'x-gateway-trace';
const SUBGRAPH_TOKEN_HEADER = 'x-subgraph-token';

export interface GatewayHeaders {
  /** Whether the response lists the REST calls: requested, or implied by a dry run. */
  traceRequested: boolean;
  /** Whether writes are not sent; the only valid value of the header is 1. */
  dryRun: 'off' | 'on' | 'invalid';
  subgraphToken: string | undefined;
}

export function readGatewayHeaders(headers: IncomingHttpHeaders): GatewayHeaders {
  const dryRun = headers[DRY_RUN_HEADER];
  const subgraphToken = headers[SUBGRAPH_TOKEN_HEADER];
  return {
    traceRequested: headers[TRACE_HEADER] === '1' || dryRun === '1',
    dryRun: dryRun === undefined ? 'off' : dryRun === '1' ? 'on' : 'invalid',
    subgraphToken: typeof subgraphToken === 'string' ? subgraphToken : undefined,
  };
}

/** The client's request id, if it is short and simple enough for headers and logs. */
export function readRequestId(headers: IncomingHttpHeaders): string | undefined {
  const requestId = headers[REQUEST_ID_HEADER];
  return typeof requestId === 'string' && /^[\w.:-]{1,128}$/.test(requestId) ? requestId : undefined;
}
