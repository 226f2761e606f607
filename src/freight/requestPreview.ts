/** REST calls as clients see them in the trace, with a command that repeats them. */
import { stringifyObject } from '../domain/json.js';
import { shellQuote } from '../domain/text.js';
import type { RequestPreview } from '../transport/calls.js';

/**
 * A call in the form that clients may see and repeat, with variables of the shell for the base URL, the token and the values of fixed
 * headers.
 */
export function previewRequest(
  { method, path, body, headers: { authorization, ...others } }: Omit<RequestPreview, 'curl'>,
  {
    urlVariable,
    fixedHeaders = {},
  }: { urlVariable: string; fixedHeaders: RequestPreview['headers'] | undefined },
): RequestPreview {
  const variables = {
    ...Object.fromEntries(Object.keys(fixedHeaders).map((name) => [name, `$${headerVariable(name)}`])),
    ...(authorization !== undefined && { authorization: 'Bearer $TOKEN' }),
  };
  // Without accept-encoding: curl prints a compressed body as it is.
  const literals = Object.entries(others).filter(
    ([name]) => name !== 'accept-encoding' && !(name in variables),
  );
  const words = [
    `curl -X ${method} ${quoteUrl(urlVariable, path)}`,
    ...literals.map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`),
    ...Object.entries(variables).map(([name, value]) => `-H "${name.replaceAll(/[$`]/g, '\\$&')}: ${value}"`),
    ...(body === undefined ? [] : [`-d ${shellQuote(stringifyObject(body))}`]),
  ];
  return { method, path, body, headers: { ...others, ...variables }, curl: words.join(' ') };
}

/** HEADER_X_API_KEY of x-api-key. */
function headerVariable(name: string): string {
  return `HEADER_${name.toUpperCase().replaceAll(/\W/g, '_')}`;
}

/** Characters that have no meaning to a shell between double quotes, not even to an interactive one. */
const PLAIN_PATH = /^[\w/.~?&=;:@,%+*()'<>-]*$/;

function quoteUrl(urlVariable: string, path: string): string {
  return PLAIN_PATH.test(path) ? `"$${urlVariable}${path}"` : `"$${urlVariable}"${shellQuote(path)}`;
}
