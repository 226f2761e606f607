/** The syntax of identifiers, parameters, bearer tokens and idempotency keys in requests, and of challenges in responses. */
import { InputRule, type Violation } from '../errors.js';

/** Placeholder in the path or query of a template for the REST service, such as `/v1/customnotifications/{notificationGuid}`. */
const PLACEHOLDER = '{notificationGuid}';

/** Maximum characters of an identifier, of which each takes up to 9 bytes in a URL. */
export const MAX_IDENTIFIER_LENGTH = 256;
/** With a base path of the same length and two identifiers of maximum length, a path still fits into MAX_TARGET_BYTES. */
export const MAX_PATH_LENGTH = 1024;
const MAX_PLACEHOLDERS = 2;
/** Maximum bytes of a path with its query, percent-encoded: what common servers and proxies accept by default. */
export const MAX_TARGET_BYTES = 8192;

export function hasGuidPlaceholder(template: string): boolean {
  return template.includes(PLACEHOLDER);
}

/** Throws an Error if the template is invalid. */
export function parsePathTemplate(template: string): string {
  const target = template.replaceAll(PLACEHOLDER, 'guid');
  // A URL parser must leave the path and its query alone: no host, dot segments, fragment or characters that need encoding.
  const isCanonical =
    /^(?:\/[\w.~!$&'()*+,;=:@%-]*)+(?:\?[\w.~!$&()*+,;=:@%-]+)?$/.test(target) && isUnchangedByUrl(target);
  if (!isCanonical)
    throw new Error(
      `expected a path such as /v1/customnotifications/${PLACEHOLDER}, got ${JSON.stringify(template)}`,
    );
  const placeholders = template.split(PLACEHOLDER).length - 1;
  if (template.length > MAX_PATH_LENGTH || placeholders > MAX_PLACEHOLDERS)
    throw new Error(
      `expected a path of at most ${MAX_PATH_LENGTH} characters and ${MAX_PLACEHOLDERS} placeholders`,
    );
  return template;
}

function isUnchangedByUrl(target: string): boolean {
  const { pathname, search } = new URL(target, 'http://service');
  return pathname + search === target;
}

/** Fills in the guid, percent-encoded to remain a single path segment, or the value of one parameter of the query. */
export function fillPath(template: string, notificationGuid: string): string {
  return template.replaceAll(PLACEHOLDER, () => encodeURIComponent(notificationGuid));
}

/**
 * Why a clean text cannot become one path segment as a guid, or undefined if it can. Percent-encoding does not protect dot segments
 * (RFC 3986 §5.2.4; the URL standard removes encoded ones, too), and servers disagree on encoded slashes.
 */
export function guidProblem(guid: string): Violation | undefined {
  const problem = identifierProblem(guid);
  if (problem !== undefined) return problem;
  const rule = InputRule.Characters;
  if (guid === '.' || guid === '..')
    return { rule, message: 'expected an identifier that is not a dot segment' };
  if (/[/\\]/.test(guid)) return { rule, message: 'expected an identifier without slashes' };
  return undefined;
}

/** Why a clean text is not an identifier, or undefined if it is one. */
export function identifierProblem(text: string): Violation | undefined {
  return text.length > MAX_IDENTIFIER_LENGTH ? tooLong('an identifier', MAX_IDENTIFIER_LENGTH) : undefined;
}

export function tooLong(what: string, limit: number): Violation {
  return { rule: InputRule.MaxLength, limit, message: `expected ${what} of at most ${limit} characters` };
}

type Scalar = string | number | boolean;
export type QueryParameters = Readonly<Record<string, unknown>>;

/** Whether a value can be sent in a query string. A list becomes one parameter per element. */
export function fitsQuery(value: unknown): value is Scalar | Scalar[] {
  return isScalar(value) || (Array.isArray(value) && value.every(isScalar));
}

/** Appends the parameters to the path or to the query that it has. Their values must satisfy `fitsQuery`. */
export function appendQuery(path: string, parameters: QueryParameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const each of [value].flat()) query.append(name, String(each));
  }
  if (query.size === 0) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${query.toString()}`;
}

function isScalar(value: unknown): value is Scalar {
  return (
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    (typeof value === 'string' && value.isWellFormed())
  );
}

/** Maximum characters of a parameter's name: comparing one takes time that grows with its length. */
const MAX_NAME_LENGTH = 100;

/** Control, format and other characters that are displayed as nothing, and that a service may drop. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** Needs no normalization. */
const VISIBLE_ASCII = /^[!-~]*$/;

/**
 * The form in which names of parameters are compared, so that no spelling that a service may read as a reserved name gets past
 * it: NFKC (Unicode Standard Annex 15: `ａ` is `a`), without invisible characters and surrounding white space, and case-folded
 * by way of upper case, because `ı` and `ſ` have upper-case forms in ASCII.
 */
export function canonicalParameterName(name: string): string {
  if (VISIBLE_ASCII.test(name)) return name.toLowerCase();
  const visible = name.normalize('NFKC').replace(INVISIBLE, '').trim();
  const folded = visible.toUpperCase().toLowerCase().normalize('NFKC');
  return folded.replaceAll('i\u0307', 'i'); // İ in lower case
}

/**
 * Every name that a service may read this one as, in the form in which names are compared. Common parsers of query strings take
 * `name[]`, `name[0]`, `[name]` and `name.key` for parts of `name`, and PHP reads `a.b`, `a b` and `a[b` as `a_b`.
 */
export function possibleParameterNames(name: string): string[] {
  const canonical = canonicalParameterName(name);
  if (/^\w*$/.test(canonical)) return [canonical];
  const [first = ''] = canonical.split(/[.[\]]/).filter((part) => part.trim() !== '');
  const [beforeBracket = ''] = canonical.split('[');
  const underscored = [canonical, beforeBracket].map((text) => text.replace(/[ .[]/g, '_'));
  return [canonical, first.trim(), ...underscored];
}

/** Why this cannot be the name of a parameter, or undefined if it can. */
export function parameterNameProblem(name: string): Violation | undefined {
  if (name === '') return { rule: InputRule.NotEmpty, message: 'expected a non-empty parameter name' };
  if (name.length > MAX_NAME_LENGTH) {
    const problem = tooLong('a parameter name', MAX_NAME_LENGTH);
    return { ...problem, message: `${problem.message}, got ${name.length}` };
  }
  const rule = InputRule.Characters;
  if (!name.isWellFormed()) return { rule, message: 'expected a parameter name in well-formed Unicode' };
  if (/\p{Cc}/u.test(name)) return { rule, message: 'expected a parameter name without control characters' };
  return undefined;
}

/**
 * The Authorization header, unchanged, if it holds a bearer token: visible ASCII characters without commas, which separate the
 * values of a repeated header. That is more than RFC 6750 §2.1 allows, because services issue tokens such as `17|aB`.
 */
export function parseBearerToken(authorization: string | undefined): string | undefined {
  return authorization !== undefined && /^Bearer +[!-+\--~]+$/i.test(authorization)
    ? authorization
    : undefined;
}

/** The token alone, from a header that `parseBearerToken` accepted. */
export function tokenOf(authorization: string): string {
  return authorization.replace(/^\S+ +/, '');
}

/** UUIDs of versions 4 and 7 (RFC 9562 section 5): the others are derived from names or addresses, or need not be random. */
const UUID = /^[\da-f]{8}-[\da-f]{4}-[47][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** In lower case; undefined unless it is a random UUID. Nobody can guess one, so all clients share a scope, even after a token renewal. */
export function parseIdempotencyKey(text: string): string | undefined {
  const key = text.toLowerCase();
  return UUID.test(key) ? key : undefined;
}

/** The key in the header `Idempotency-Key`, bare or as a quoted string; undefined if it is not a random UUID. */
export function parseIdempotencyHeader(header: string): string | undefined {
  return parseIdempotencyKey(/^"(.*)"$/.exec(header)?.[1] ?? header);
}

/** How far the clock of a client may be ahead, in milliseconds: records of keys live that much longer than the retention. */
export const MAX_KEY_LEAD_MS = 5 * 60_000;

/** Whether a key claims to be created later than clocks explain: it would still look new when its record has expired. */
export function isFromFuture(key: string): boolean {
  return (creationTimeOf(key) ?? 0) > Date.now() + MAX_KEY_LEAD_MS;
}

/** When a key was created, in milliseconds since the epoch; undefined unless its version is 7 (RFC 9562 section 5.7). */
export function creationTimeOf(key: string): number | undefined {
  return key[14] === '7' ? Number.parseInt(key.slice(0, 8) + key.slice(9, 13), 16) : undefined;
}

/** Why a 401 rejects the credentials, for developers, by its WWW-Authenticate header (RFC 6750 §3). */
export function challengeDescription(header: string[] | string = ''): string | undefined {
  const [, quoted, token] = DESCRIPTION.exec([header].flat().join(', ')) ?? [];
  return quoted?.replaceAll(/\\(.)/g, '$1') ?? token;
}

const DESCRIPTION = /\berror_description\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/i;
