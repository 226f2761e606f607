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
  /** The HTTP response if it was not a GraphQL response; undefined if the connection failed. */
  readonly response?: HttpResponseLike | undefined;
  /** The source itself, or the part of it that was read: without a GraphQL response, for example the error that `fetch` threw. */
  readonly cause: unknown;
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
    if (Array.isArray(source)) return { data: {}, errors: source.map(objectOf), cause: source };
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
    // These are failed connections, even if the status arrived before.
    const isLost = ['AbortError', 'TimeoutError', 'TypeError'].includes(
      String(objectOf(networkError)['name']),
    );
    const wrapped = isLost ? undefined : (error ?? cause ?? response);
    if (networkError == null && (graphQLErrors ?? data) != null) {
      const list = [graphQLErrors ?? [], (wrapped && read(wrapped).errors) ?? []].flat();
      return { data: objectOf(data), errors: list.map(objectOf), cause: source };
    }
    if (wrapped) return read(wrapped);
    return {
      data: {},
      errors: undefined,
      response: typeof status === 'number' ? (source as HttpResponseLike) : undefined,
      cause: networkError ?? source,
    };
  } catch {
    return { data: {}, errors: undefined, cause: source };
  }
}

/**
 * Messages of engines and `fetch` about mistakes of a program, always in English. Any other TypeError is a lost connection: each browser,
 * Deno and React Native have words of their own for it, and those of Safari are in the language of the device.
 */
const MISTAKES: readonly RegExp[] = [
  // values that are missing, or of another type
  /is(?: not|n't) (?:an? |defined|extensible|iterable|valid)|not (?:iterable|extensible)|\b(?:is|of|on|convert|convert a) (?:undefined|null)\b|^(?:undefined|null) (?:is|has)/,
  /[Cc]an(?:not|'t) (?:access|add|assign|call|convert|create|define|delete|destructure|mix|perform|read|redefine|serialize|set|use|be (?:destructured|invoked|serialized))/,
  /read-?\s?only|constant|const '|[Cc]lass constructor|cyclic|circular|BigInt|called on|Symbol\.iterator|instanceof|'in'|[Rr]educe of empty|requires that/,
  // arguments of fetch, or a body that was read before
  /Failed to (?:execute|construct|parse)|illegal invocation|invalid (?:URL|header|value)|valid URL|an? invalid|cannot (?:have|be constructed)|duplex|not an accepted/i,
  /already (?:been )?(?:read|used|consumed)|Already read|\b(?:disturbed|locked|unusable)\b/,
];

/** Messages quote the address, whose words mean nothing. */
const URLS = /\b[a-z]+:\/\/\S+/g;

/**
 * Whether no GraphQL response arrived because of the network or a proxy: an error of `fetch` or of a client, or a response of another kind.
 * Not so a bug, or something that the application did not mean to pass: nothing at all, a promise, `data` alone, a response that nobody read.
 */
export function isNetworkFailure(cause: unknown): boolean {
  const { status, ok, bodyUsed, name, message } = objectOf(cause);
  if (typeof status === 'number') return !(ok === true && bodyUsed === false);
  if (typeof message !== 'string') return false;
  if (name === 'TypeError') return !MISTAKES.some((words) => words.test(message.replace(URLS, '')));
  return name !== 'ReferenceError' && name !== 'RangeError';
}

/** The elements of a list that was stored; none of anything else. */
export function storedList(text: string | null | undefined): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(list) ? (list as unknown[]) : [];
  } catch {
    return [];
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
