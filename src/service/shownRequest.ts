/** REST calls for people to see and to repeat: as they are, with placeholders for secrets. */
import type { ShownRequest } from './observer.js';

/** `urlName`: the environment variable that holds the address which the path goes after. */
export function showRequest(
  { headers: { authorization, ...others }, ...request }: Omit<ShownRequest, 'curl'>,
  urlName: string,
): ShownRequest {
  const headers = { ...others, ...(authorization !== undefined && { authorization: 'Bearer $TOKEN' }) };
  const { method, path, body } = request;
  const words = [
    `curl -X ${method} "$${urlName}"${quoted(path)}`,
    ...Object.entries(others).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(authorization === undefined ? [] : ['-H "authorization: Bearer $TOKEN"']),
    ...(body === undefined ? [] : [`-d ${quoted(JSON.stringify(body))}`]),
  ];
  return { ...request, headers, curl: words.join(' ') };
}

/** A word for a POSIX shell in which nothing has a meaning of its own. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
