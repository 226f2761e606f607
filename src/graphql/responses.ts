/**
 * The common parts of all responses: status and media type (GraphQL over HTTP, September 2026, section 6.4; RFC 9110 §15),
 * `extensions`, and the log record.
 */
import { OperationTypeNode, type GraphQLFormattedError, type OperationDefinitionNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { ErrorCode, type WriteOutcome } from '../errors.js';
import type { FailureAsData, GatewayContext } from '../fields/context.js';
import type { ItemsSummary } from '../telemetry/requestSummary.js';
import { isOfItem } from './publicErrors.js';

export interface GraphQLHttpResponse {
  status: number;
  headers: Iterable<[name: string, value: string]>;
  body: string;
  /** Set if the request was rejected before there was an operation to record. */
  errorCode?: string;
}

/** Statuses of results. Failures have theirs in failures.ts: every response without `data` is 4xx or 5xx. */
export const HttpStatus = {
  /** `data` without `errors`; with `errors` for clients that do not name `application/graphql-response+json`. */
  Ok: 200,
  /** `data`, even null, with `errors`. */
  PartialSuccess: 294,
  /** An operation that was rejected before it was executed. */
  UnprocessableContent: 422,
  InternalServerError: 500,
  /** Sent with Retry-After. */
  ServiceUnavailable: 503,
} as const;

/** Node has reason phrases for all other statuses. */
export const PARTIAL_SUCCESS_REASON = 'Partial Success';

/** Responses that are not GraphQL responses have this type, too. */
export const JSON_MEDIA_TYPE = 'application/json; charset=utf-8';

/**
 * Request errors have this type for every client: with `application/json`, clients could not tell them from the errors of
 * an intermediary, whose bodies they must not read as GraphQL.
 */
export const GRAPHQL_MEDIA_TYPE = 'application/graphql-response+json; charset=utf-8';

/** The types of a response, in Apollo Server's order of preference. */
const MEDIA_TYPES = [
  JSON_MEDIA_TYPE,
  GRAPHQL_MEDIA_TYPE,
  'application/json; callbackSpec=1.0; charset=utf-8',
];

export interface Negotiated {
  /** The type of a response with `data`; undefined if the client accepts none. */
  mediaType: string | undefined;
  /** The status of a response with `data` and `errors`: only clients that name the type of GraphQL responses know 294. */
  partialSuccessStatus: number;
}

const withoutAccept: Negotiated = { mediaType: JSON_MEDIA_TYPE, partialSuccessStatus: HttpStatus.Ok };

/** Clients send few different headers, of limited length. Parsed once, although several places need the result. */
const cache = new LRUCache<string, Negotiated>({ max: 100 });

/** Selects the media type and status that an Accept header allows (RFC 9110 section 12.5.1). */
export function negotiate(accept: string | undefined): Negotiated {
  if (!accept) return withoutAccept;
  const cached = cache.get(accept);
  if (cached) return cached;
  const negotiator = new Negotiator({ headers: { accept } });
  const namesGraphQL = negotiator
    .mediaTypes()
    .some((type) => GRAPHQL_MEDIA_TYPE.startsWith(`${type.toLowerCase()};`));
  const negotiated = {
    mediaType: negotiator.mediaType(MEDIA_TYPES),
    partialSuccessStatus: namesGraphQL ? HttpStatus.PartialSuccess : HttpStatus.Ok,
  };
  cache.set(accept, negotiated);
  return negotiated;
}

/** Maximum size of the trace as JSON, in bytes. */
const MAX_TRACE_BYTES = 65_536;

/** The `extensions` of a response: its trace, if there is one, with the first calls, as many as fit. */
export function extensionsOf({ telemetry: { tracedCalls: calls } }: GatewayContext) {
  if (!calls) return undefined;
  let bytes = MAX_TRACE_BYTES;
  const trace = calls.filter((call) => (bytes -= Buffer.byteLength(JSON.stringify(call)) + 1) >= 0);
  return { extensions: { trace, ...(trace.length < calls.length && { traceTruncated: true }) } };
}

/** Records the operation, its failures and its outcome for the log and the metrics. */
export function recordOperation(
  { telemetry: { summary: record }, failuresAsData, lists }: GatewayContext,
  definition: OperationDefinitionNode | undefined,
  errors: readonly GraphQLFormattedError[] = [],
): void {
  if (definition) {
    record.operationType = definition.operation;
    if (definition.name) record.operationName = definition.name.value.slice(0, 100);
  }
  const failures = [
    ...errors
      .filter(
        (error) => !isOfItem(error, lists) || error.extensions?.['code'] === ErrorCode.InternalServerError,
      )
      .map(({ extensions }) => extensions ?? {}),
    ...failuresAsData.flatMap(({ errors }) => errors),
  ];
  record.errorCodes = failures.map(({ code }) => String(code));
  if (failures.some(isOfDisabledKeys)) record.keysNotEnabled = true;
  if (definition?.operation !== OperationTypeNode.MUTATION) return;
  const items = [...(lists?.values() ?? [])].flat();
  if (lists) record.items = summaryOf(items);
  const outcomes = [
    ...errors.map(({ extensions }) => extensions?.['outcome']),
    ...[...failuresAsData, ...items].map(({ outcome }) => outcome),
  ];
  record.outcome =
    (['UNKNOWN', 'NOT_APPLIED'] as const).find((outcome) => outcomes.includes(outcome)) ?? 'APPLIED';
}

function summaryOf(items: readonly FailureAsData[]): ItemsSummary {
  const count = (as: WriteOutcome) => items.filter(({ outcome }) => outcome === as).length;
  return {
    total: items.length,
    applied: count('APPLIED'),
    notApplied: count('NOT_APPLIED'),
    unknown: count('UNKNOWN'),
    failed: items.filter(({ errors }) => errors.length > 0).length,
    errorCodes: [...new Set(items.flatMap(({ errors }) => errors.map(({ code }) => code)))],
  };
}

/** IDEMPOTENCY_UNAVAILABLE is final when keys are disabled, and retryable when their store fails. */
function isOfDisabledKeys({ code, retryable }: { code?: unknown; retryable?: unknown }): boolean {
  return code === ErrorCode.IdempotencyUnavailable && retryable === false;
}
