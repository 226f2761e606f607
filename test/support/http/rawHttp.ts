/** HTTP as raw bytes on a socket, for requests that no client library would send. */
import { connect, type Socket } from 'node:net';
import { finished } from 'node:stream/promises';

export interface RawResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** @param localAddress the client's address. @default 127.0.0.1 */
export function open(url: string, localAddress?: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect({
    host: hostname,
    port: Number(port),
    allowHalfOpen: true,
    ...(localAddress !== undefined && { localAddress }),
  });
  socket.on('error', () => undefined); // a reset also ends the connection
  return socket;
}

/** Sends bytes, half-closes the connection, and returns all responses until the server closes it. */
export async function exchange(url: string, bytes: string | Buffer): Promise<RawResponse[]> {
  const socket = open(url);
  socket.end(bytes);
  return parseResponses(await textOf(socket));
}

/** A POST of an operation, as bytes. */
export function postOf(query: string, headers: readonly string[] = [], version = 'HTTP/1.1'): string {
  const body = JSON.stringify({ query });
  const lines = [
    `POST /graphql ${version}`,
    'host: gateway',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    ...headers,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Reads until the server closes the connection. */
export async function textOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  await finished(socket, { writable: false }).catch(() => undefined);
  socket.destroy();
  return Buffer.concat(chunks).toString('utf8');
}

/** Parses responses, skipping interim ones (RFC 9110 §15.2). Throws for anything but HTTP/1.1. */
export function parseResponses(text: string): RawResponse[] {
  if (text === '') return [];
  const [, status = '', fields = ''] =
    /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(text) ?? [];
  if (status === '')
    throw new Error(`Expected an HTTP/1.1 response, got ${JSON.stringify(text.slice(0, 200))}`);
  const headers = Object.fromEntries(
    fields
      .split('\r\n')
      .filter(Boolean)
      .map((field) => [
        field.slice(0, field.indexOf(':')).toLowerCase(),
        field.slice(field.indexOf(':') + 1).trim(),
      ]),
  );
  const rest = text.slice(text.indexOf('\r\n\r\n') + 4);
  if (status.startsWith('1')) return parseResponses(rest);
  const length = Number(headers['content-length'] ?? 0);
  const bytes = Buffer.from(rest);
  return [
    { status: Number(status), headers, body: bytes.subarray(0, length).toString() },
    ...parseResponses(bytes.subarray(length).toString()),
  ];
}
