/**
 * Attributes of spans, following OpenTelemetry's semantic conventions for HTTP and GraphQL. Arguments, identifiers, tokens
 * and documents are left out or replaced, as the conventions ask for: they could be secrets or personal data.
 */
import { SpanStatusCode, type Attributes, type Span } from '@opentelemetry/api';
import * as semconv from '@opentelemetry/semantic-conventions';
import { basePathOf } from '../freight/operations.js';
import type { Attempt } from '../transport/calls.js';
import { knownMethods, serverOf } from './labels.js';
import {
  attemptErrorType,
  requestErrorType,
  type AttemptEnd,
  type RequestSummary,
} from './requestSummary.js';
import type { RequestDescription } from './requestTelemetry.js';

// Not stable yet: their package recommends copies, because it may change them in any minor version.
const ATTR_GRAPHQL_OPERATION_NAME = 'graphql.operation.name';
const ATTR_GRAPHQL_OPERATION_TYPE = 'graphql.operation.type';
const ATTR_URL_TEMPLATE = 'url.template';

/** The request's ID, which log lines and errors have, too. */
const ATTR_REQUEST_ID = 'gateway.request_id';
const ATTR_READ_BACK = 'gateway.read_back';
/** Codes of the errors in the response, including errors of the client. */
const ATTR_ERROR_CODES = 'gateway.error_codes';
/** Of bulk fields. */
const ATTR_ITEMS = 'gateway.items';
const ATTR_FAILED_ITEMS = 'gateway.failed_items';
const ATTR_OUTCOME = 'gateway.outcome';
/** Name of a client that is known by its credential. */
const ATTR_CLIENT = 'gateway.client';

/** Replaces potentially sensitive values; the conventions use this word for queries. */
const REDACTED = 'REDACTED';

export interface SpanStart {
  name: string;
  attributes: Attributes;
}

/** The span of a client's request. */
export function requestSpan(method: string, requestId: string, request: RequestDescription): SpanStart {
  const { route } = request;
  const isKnown = knownMethods.has(method);
  const shownMethod = isKnown ? method : 'HTTP';
  return {
    name: route === undefined ? shownMethod : `${shownMethod} ${route}`,
    attributes: {
      [semconv.ATTR_HTTP_REQUEST_METHOD]: isKnown ? method : semconv.HTTP_REQUEST_METHOD_VALUE_OTHER,
      [semconv.ATTR_HTTP_REQUEST_METHOD_ORIGINAL]: isKnown ? undefined : method,
      [semconv.ATTR_HTTP_ROUTE]: route,
      // Routes have no parameters. Any other path may be anything, such as a token in the wrong place.
      [semconv.ATTR_URL_PATH]: route?.startsWith('/') ? route : `/${REDACTED}`,
      [semconv.ATTR_URL_QUERY]: request.hasQuery ? REDACTED : undefined,
      ...request.attributes,
      [ATTR_REQUEST_ID]: requestId,
    },
  };
}

/**
 * Ends the span of a client's request. By the conventions, a client's error is not an error of the server: with a 4xx
 * status, or here with errors such as NOT_FOUND, the span has no error.
 */
export function endRequestSpan(span: Span, summary: RequestSummary): void {
  const { status, operationType, operationName, errorCodes, outcome, items, client } = summary;
  span.setAttributes({
    [ATTR_GRAPHQL_OPERATION_TYPE]: operationType,
    [ATTR_GRAPHQL_OPERATION_NAME]: operationName,
    [semconv.ATTR_HTTP_RESPONSE_STATUS_CODE]: status,
    [ATTR_ERROR_CODES]: errorCodes.length > 0 ? [...new Set(errorCodes)] : undefined,
    [ATTR_ITEMS]: items?.total,
    [ATTR_FAILED_ITEMS]: items?.failed,
    [ATTR_OUTCOME]: items && outcome,
    [ATTR_CLIENT]: client,
  });
  endSpan(span, requestErrorType(summary));
}

/** The span of one attempt of a REST call. */
export function restCallSpan({ call, number, isReadBack }: Attempt, requestId: string): SpanStart {
  const { method, route, baseUrl } = call;
  const { address, port } = serverOf(baseUrl);
  const path = `${basePathOf(baseUrl)}${route.replace(/\?.*/, '').replaceAll(/\{\w+\}/g, REDACTED)}`;
  return {
    name: `${method} ${route}`,
    attributes: {
      [semconv.ATTR_HTTP_REQUEST_METHOD]: method,
      [semconv.ATTR_HTTP_REQUEST_RESEND_COUNT]: number > 1 ? number - 1 : undefined,
      [semconv.ATTR_SERVER_ADDRESS]: address,
      [semconv.ATTR_SERVER_PORT]: port,
      [semconv.ATTR_URL_FULL]: `${baseUrl.origin}${path}${call.path.includes('?') ? `?${REDACTED}` : ''}`,
      [ATTR_URL_TEMPLATE]: route,
      [semconv.ATTR_NETWORK_PROTOCOL_VERSION]: '1.1',
      [ATTR_REQUEST_ID]: requestId,
      [ATTR_READ_BACK]: isReadBack,
    },
  };
}

/** Ends the span of an attempt; a cancellation is no error of it. */
export function endRestCallSpan(span: Span, end: AttemptEnd): void {
  if (end.status !== undefined) span.setAttribute(semconv.ATTR_HTTP_RESPONSE_STATUS_CODE, end.status);
  endSpan(span, end.error === 'CancelledError' ? undefined : attemptErrorType(end));
}

function endSpan(span: Span, errorType: string | undefined): void {
  if (errorType !== undefined) {
    span.setAttribute(semconv.ATTR_ERROR_TYPE, errorType);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
