/** The errors of the gateway for programs, without dependencies: the package subpath `shipment-graphql-gateway/errors`. */
import { ErrorCode } from './errorCodes.js';
import type { InputRule } from './domain/inputRule.js';

export { ErrorCode } from './errorCodes.js';
export { InputRule } from './domain/inputRule.js';

/** The `extensions` of every error. */
export interface GatewayErrorExtensions {
  code: ErrorCode;
  /** Whether repeating the field is safe and may succeed. */
  retryable: boolean;
  requestId: string;
  /** On mutations. */
  outcome?: 'NOT_APPLIED' | 'UNKNOWN';
  /** Seconds after which a retry makes sense. */
  retryAfterSeconds?: number;
  /** Response key of the root field, on errors of input without a `path`. */
  field?: string;
  /** Path of the invalid input within the field's arguments. */
  inputPath?: (string | number)[];
  rule?: InputRule;
  /** The number in the rule, such as the maximum length. */
  limit?: number;
  /** HTTP status of the service's response. */
  status?: number;
  /** The service's own messages. */
  serviceMessages?: unknown[];
  /**
   * After createNotification with the outcome UNKNOWN: identifiers of the notifications that it may have created. Missing if
   * they could not be looked for; none of them is no proof that nothing was created.
   */
  candidates?: string[];
}

const codes: ReadonlySet<unknown> = new Set(Object.values(ErrorCode));

/** Whether an error of a GraphQL response is the gateway's, and not that of a proxy or of another subgraph. */
export function isGatewayError<Err>(error: Err): error is Err & { extensions: GatewayErrorExtensions } {
  const { extensions } = Object(error) as { extensions?: unknown };
  const { code, retryable, requestId } = Object(extensions) as Partial<GatewayErrorExtensions>;
  return codes.has(code) && typeof retryable === 'boolean' && typeof requestId === 'string';
}
