/** An element of the `messages` of an error answer. */
export interface Message {
  /** JSON pointer into the request's body. */
  field?: string;
  message: string;
}

/** Thrown by a handler that cannot do what the caller wants. */
export class HttpError extends Error {
  override readonly name = 'HttpError';

  constructor(
    readonly statusCode: number,
    readonly messages: Message[],
  ) {
    super(messages.map(({ message }) => message).join(' '));
  }
}
