/** Templates of REST paths, such as `/v1/customnotifications/{notificationGuid}`. */

const PLACEHOLDER = '{notificationGuid}';

/** Whether a path template carries the identifier of a notification. */
export function hasGuidPlaceholder(template: string): boolean {
  return template.includes(PLACEHOLDER);
}

/** What is wrong with a path template, or undefined. */
export function pathTemplateProblem(template: string): string | undefined {
  const path = template.replaceAll(PLACEHOLDER, 'guid');
  const isPlain =
    /^(?:\/[\w.~!$&'()*+,;=:@%-]*)+$/.test(path) && new URL(path, 'http://service').pathname === path;
  return isPlain
    ? undefined
    : `expected a path such as /v1/customnotifications/${PLACEHOLDER}, got ${JSON.stringify(template)}`;
}

/** The path of one notification; the guid becomes one path segment whatever characters it has. */
export function fillPath(template: string, notificationGuid: string): string {
  return template.replaceAll(PLACEHOLDER, () => encodeURIComponent(notificationGuid));
}

/**
 * Why a guid cannot be one path segment, or undefined. Percent-encoding does not help with dot segments (RFC 3986
 * section 5.2.4 and the URL standard remove them encoded, too), and servers differ on encoded slashes and control
 * characters.
 */
export function guidProblem(guid: string): string | undefined {
  if (guid.trim() === '') return 'expected a non-empty identifier';
  if (guid === '.' || guid === '..') return 'expected an identifier that is not a dot segment';
  if (!guid.isWellFormed()) return 'expected well-formed Unicode';
  if (/[/\\\u0000-\u001f\u007f-\u009f]/.test(guid))
    return 'expected an identifier without slashes or control characters';
  return undefined;
}
