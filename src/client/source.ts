/** Reads what an application has in hand after an operation: a response, the result or the error of a client, a thrown error. */

/** An error of a GraphQL response, as far as it can be read. */
export interface GraphQLErrorLike {
  readonly message?: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** An HTTP response, as far as it matters here. */
export interface HttpResponseLike {
  readonly status: number;
  readonly headers?: { get(name: string): string | null };
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
  if (Array.isArray(source)) return { data: {}, errors: source.map(toError) };
  const given = objectOf(source);
  const list = given['errors'] ?? given['graphQLErrors'];
  const { networkError } = given;
  // A TypeError is a failed connection, even if the status arrived before.
  const inner = networkError instanceof TypeError ? undefined : innerOf(given);
  if (networkError == null && (Array.isArray(list) || given['data'] != null)) {
    const own = Array.isArray(list) ? list.map(toError) : [];
    const wrapped = inner ? (read(inner).errors ?? []) : [];
    return { data: objectOf(given['data']), errors: [...own, ...wrapped] };
  }
  if (inner) return read(inner);
  const response = typeof given['status'] === 'number' ? (source as HttpResponseLike) : undefined;
  return { data: {}, errors: undefined, response };
}

/** The members of an object; none of anything else. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value) as Readonly<Record<string, unknown>>;
}

/** What results and errors of clients wrap: the error of a result, the response of an error. */
function innerOf({ error, source, response }: Readonly<Record<string, unknown>>): unknown {
  return error ?? source ?? response;
}

/** Nothing in it has a type that the code behind does not expect. */
function toError(error: unknown): GraphQLErrorLike {
  const { message, path, extensions } = objectOf(error);
  return {
    message: typeof message === 'string' ? message : '',
    ...(Array.isArray(path) && { path: path as (string | number)[] }),
    extensions: objectOf(extensions),
  };
}
