/** REST calls in the form that clients may see and repeat, with placeholders for secrets. */
import type { RequestPreview } from './transport/events.js';

/** `urlVariable` names the environment variable that holds the base URL. */
export function previewRequest(
  { headers: { authorization, ...others }, ...request }: Omit<RequestPreview, 'curl'>,
  urlVariable: string,
): RequestPreview {
  const headers = { ...others, ...(authorization !== undefined && { authorization: 'Bearer $TOKEN' }) };
  const { method, path, body } = request;
  const words = [
    `curl -X ${method} "$${urlVariable}"${shellQuote(path)}`,
    ...Object.entries(others).map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`),
    ...(authorization === undefined ? [] : ['-H "authorization: Bearer $TOKEN"']),
    ...(body === undefined ? [] : [`-d ${shellQuote(JSON.stringify(body))}`]),
  ];
  return { ...request, headers, curl: words.join(' ') };
}

/** Quotes a word for a POSIX shell, where nothing is special between single quotes but the quote itself. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
