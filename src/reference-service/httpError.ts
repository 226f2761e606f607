/** An element of `messages` in an error response. */
export interface Message {
  /** JSON pointer into the request body. */
  field?: string;
  message: string;
}

/** Thrown by handlers to reject a request. */
export class HttpError extends Error {
  override readonly name = 'HttpError';

  constructor(
    readonly statusCode: number,
    readonly messages: Message[],
  ) {
    super(messages.map(({ message }) => message).join(' '));
  }
}
