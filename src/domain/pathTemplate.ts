/** Path templates of the REST service, such as `/v1/customnotifications/{notificationGuid}`. */
import { InputRule, type Violation } from '../errors.js';

const PLACEHOLDER = '{notificationGuid}';

/** Maximum characters of an identifier, of which each takes up to 9 bytes in a URL. */
export const MAX_IDENTIFIER_LENGTH = 256;
/** With a base path of the same length and two longest identifiers, a path still fits into MAX_TARGET_BYTES. */
export const MAX_PATH_LENGTH = 1024;
const MAX_PLACEHOLDERS = 2;
/** Maximum bytes of a path with its query, percent-encoded: what common servers and proxies accept by default. */
export const MAX_TARGET_BYTES = 8192;

export function hasGuidPlaceholder(template: string): boolean {
  return template.includes(PLACEHOLDER);
}

/** Why a path template is invalid, or undefined if it is valid. */
export function pathTemplateProblem(template: string): string | undefined {
  const path = template.replaceAll(PLACEHOLDER, 'guid');
  // A URL parser must leave the path alone: no query, host, dot segments or characters that need encoding.
  const isCanonical =
    /^(?:\/[\w.~!$&'()*+,;=:@%-]*)+$/.test(path) && new URL(path, 'http://service').pathname === path;
  const placeholders = template.split(PLACEHOLDER).length - 1;
  if (isCanonical && (template.length > MAX_PATH_LENGTH || placeholders > MAX_PLACEHOLDERS))
    return `expected a path of at most ${MAX_PATH_LENGTH} characters and ${MAX_PLACEHOLDERS} placeholders`;
  return isCanonical
    ? undefined
    : `expected a path such as /v1/customnotifications/${PLACEHOLDER}, got ${JSON.stringify(template)}`;
}

/** Fills in the guid, percent-encoded to remain a single path segment. */
export function fillPath(template: string, notificationGuid: string): string {
  return template.replaceAll(PLACEHOLDER, () => encodeURIComponent(notificationGuid));
}

/**
 * Why a guid cannot become one path segment, or undefined if it can. Percent-encoding does not protect dot segments
 * (RFC 3986 §5.2.4; the URL standard removes encoded ones, too), and servers disagree on encoded slashes and control
 * characters.
 */
export function guidProblem(guid: string): Violation | undefined {
  if (guid.length > MAX_IDENTIFIER_LENGTH) {
    const limit = MAX_IDENTIFIER_LENGTH;
    return {
      rule: InputRule.MaxLength,
      limit,
      message: `expected an identifier of at most ${limit} characters`,
    };
  }
  if (guid.trim() === '') return { rule: InputRule.NotEmpty, message: 'expected a non-empty identifier' };
  const message = characterProblem(guid);
  return message === undefined ? undefined : { rule: InputRule.Characters, message };
}

function characterProblem(guid: string): string | undefined {
  if (guid === '.' || guid === '..') return 'expected an identifier that is not a dot segment';
  if (!guid.isWellFormed()) return 'expected well-formed Unicode';
  if (/[/\\\u0000-\u001f\u007f-\u009f]/.test(guid))
    return 'expected an identifier without slashes or control characters';
  return undefined;
}
