/** REST calls for people to see and to repeat: as they are, with placeholders for secrets. */
import type { RequestPreview } from './transport/events.js';

/** `urlName`: the environment variable that holds the address which the path goes after. */
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

/** A word for a POSIX shell in which nothing has a meaning of its own. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
