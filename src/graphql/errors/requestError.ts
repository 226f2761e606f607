/** The response to a request that is rejected before there is a GraphQL operation. */
export interface ErrorResponse {
  /** HTTP status. */
  status: number;
  /** Value of `extensions.code`. */
  code: string;
  message: string;
  /** Set if the request may be a mutation that would succeed at another time or place. */
  outcome?: 'NOT_APPLIED';
  /** Seconds after which another attempt makes sense; also sent as the Retry-After header. */
  retryAfterSeconds?: number;
}

/** Rejects a request before there is a GraphQL operation. */
export class RequestError extends Error {
  override readonly name: string = 'RequestError';

  constructor(readonly response: ErrorResponse) {
    super(response.message);
  }
}
