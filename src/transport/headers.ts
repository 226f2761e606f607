/** Parses the headers of responses. */

/** Names in lower case; a repeated header is an array. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The value of a header, or the first value of a repeated one. The parser leaves white space behind it (RFC 9110 §5.5). */
export function headerOf({ headers }: { readonly headers: Headers }, name: string): string | undefined {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value)?.trim();
}

/** The media type in lower case and without its parameters; undefined if there is none. */
export function mediaTypeOf(response: { readonly headers: Headers }): string | undefined {
  const [mediaType = ''] = headerOf(response, 'content-type')?.split(';') ?? [];
  return mediaType.trim().toLowerCase() || undefined;
}

/** Whether the type of a body says that it is JSON. */
export function isJson(response: { readonly headers: Headers }): boolean {
  return /^(?:application|text)\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(
    headerOf(response, 'content-type') ?? '',
  );
}

/** When a response was created by the clock of its sender (RFC 9110 §6.6.1), in milliseconds since 1970. */
export function dateOf(response: { readonly headers: Headers }): number | undefined {
  const dateMs = parseHttpDate(headerOf(response, 'date') ?? '');
  return Number.isNaN(dateMs) ? undefined : dateMs;
}

/** Clients get the seconds as an Int of GraphQL, which has 32 bits. */
const MAX_RETRY_AFTER_SECONDS = 2 ** 31 - 1;

/** Parses a Retry-After header, which holds seconds or a date (RFC 9110 §10.2.3): one by the clock of the service, which may differ. */
export function retryAfterSeconds(response: { readonly headers: Headers }): number | undefined {
  const header = headerOf(response, 'retry-after');
  if (header === undefined) return undefined;
  const now = parseHttpDate(headerOf(response, 'date') ?? '') || Date.now();
  const seconds = /^\d+$/.test(header)
    ? Number(header)
    : Math.max(0, Math.ceil((parseHttpDate(header) - now) / 1000));
  return Number.isNaN(seconds) ? undefined : Math.min(seconds, MAX_RETRY_AFTER_SECONDS);
}

/** Parses a date in any of the three formats (RFC 9110 §5.6.7); NaN for anything else. */
function parseHttpDate(text: string): number {
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return NaN;
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
}

/** The challenge in the WWW-Authenticate header of a 401 (RFC 9110 §11.6.1). */
export interface Challenge {
  /** Names of the authentication schemes, as they came; none without a challenge. */
  readonly schemes: readonly string[];
  /** The header that the service wants a key in, if it says so. `name` is the parameter of Azure API Management. */
  readonly keyHeader: string | undefined;
  /** Why the credentials were rejected, for developers (RFC 6750 §3). */
  readonly description: string | undefined;
}

const PARAMETER = /([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g;

export function parseChallenge(header: string[] | string = ''): Challenge {
  const text = [header].flat().join(', ');
  const parameters = new Map(
    [...text.matchAll(PARAMETER)].map(([, name = '', quoted, token]) => [
      name.toLowerCase(),
      quoted?.replaceAll(/\\(.)/g, '$1') ?? token,
    ]),
  );
  return {
    schemes: text.replaceAll(PARAMETER, '').match(/[A-Za-z][\w-]*/g) ?? [],
    keyHeader: parameters.get('name') ?? parameters.get('header'),
    description: parameters.get('error_description'),
  };
}
