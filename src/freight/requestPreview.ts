/** REST calls in the form that clients may see and repeat, with placeholders for secrets. */
import type { RequestPreview } from '../transport/events.js';

/** `urlVariable` names the environment variable that holds the base URL. */
export function previewRequest(
  { headers: { authorization, ...others }, ...request }: Omit<RequestPreview, 'curl'>,
  urlVariable: string,
): RequestPreview {
  const headers = { ...others, ...(authorization !== undefined && { authorization: 'Bearer $TOKEN' }) };
  const { method, path, body } = request;
  // Without accept-encoding: curl prints a compressed body as it is.
  const shownHeaders = Object.entries(others).filter(([name]) => name !== 'accept-encoding');
  const words = [
    `curl -X ${method} ${quoteUrl(urlVariable, path)}`,
    ...shownHeaders.map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`),
    ...(authorization === undefined ? [] : ['-H "authorization: Bearer $TOKEN"']),
    ...(body === undefined ? [] : [`-d ${shellQuote(JSON.stringify(body))}`]),
  ];
  return { ...request, headers, curl: words.join(' ') };
}

/** Characters that have no meaning to a shell between double quotes, not even to an interactive one. */
const PLAIN_PATH = /^[\w/.~?&=;:@,%+*()'<>-]*$/;

function quoteUrl(urlVariable: string, path: string): string {
  return PLAIN_PATH.test(path) ? `"$${urlVariable}${path}"` : `"$${urlVariable}"${shellQuote(path)}`;
}

/** Quotes a word for a POSIX shell, where nothing is special between single quotes but the quote itself. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
