/** What the WWW-Authenticate header of a 401 asks for (RFC 9110 §11.6.1). */

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
