/** Reads what an application has in hand after an operation: a response, the result or the error of a client, a thrown error. */

/** An error of a GraphQL response, as far as it can be read. */
export interface GraphQLErrorLike {
  readonly message?: unknown;
  readonly path?: readonly unknown[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** An HTTP response, as far as it matters here. */
export interface HttpResponseLike {
  readonly status: number;
  readonly headers?: { get?: (name: string) => string | null };
}

export interface Reading {
  /** `data` of the GraphQL response. */
  readonly data: Readonly<Record<string, unknown>>;
  /** `errors` of the GraphQL response, empty if it has none; undefined if no GraphQL response arrived. */
  readonly errors: readonly GraphQLErrorLike[] | undefined;
  /** The HTTP response if it was no GraphQL response; undefined if the connection failed. */
  readonly response?: HttpResponseLike | undefined;
}

/**
 * Never throws. Understands
 * - a GraphQL response, `{ data, errors }`, or its errors alone (the second argument of Relay's `onCompleted`);
 * - Apollo Client 4: results, `CombinedGraphQLErrors`, `ServerError`; urql: results, `CombinedError`; Relay: an error with `source`;
 *   graphql-request: `ClientError`;
 * - a `Response` of fetch, and anything thrown: no GraphQL response arrived.
 */
export function read(source: unknown): Reading {
  try {
    if (Array.isArray(source)) return { data: {}, errors: source.map(objectOf) };
    const {
      data,
      errors,
      graphQLErrors = errors,
      networkError,
      error,
      source: cause,
      response,
      status,
    } = objectOf(source);
    // A TypeError is a failed connection, even if the status arrived before.
    const wrapped = networkError instanceof TypeError ? undefined : (error ?? cause ?? response);
    if (networkError == null && (graphQLErrors ?? data) != null) {
      const list = [graphQLErrors ?? [], (wrapped && read(wrapped).errors) ?? []].flat();
      return { data: objectOf(data), errors: list.map(objectOf) };
    }
    if (wrapped) return read(wrapped);
    return {
      data: {},
      errors: undefined,
      response: typeof status === 'number' ? (source as HttpResponseLike) : undefined,
    };
  } catch {
    return { data: {}, errors: undefined };
  }
}

/** The members of an object; none of anything else. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value) as Readonly<Record<string, unknown>>;
}

/** The failures in the payload of a write, as far as it selects them. */
export function failuresIn(payload: unknown): readonly Readonly<Record<string, unknown>>[] {
  const { errors } = objectOf(payload);
  return Array.isArray(errors) ? errors.map(objectOf) : [];
}
