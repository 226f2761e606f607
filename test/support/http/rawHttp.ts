/** HTTP as bytes on a socket, for what no client would send. */
import { connect, type Socket } from 'node:net';
import { finished } from 'node:stream/promises';

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export function open(url: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on('error', () => undefined); // a reset ends the connection, too
  return socket;
}

/** Sends bytes, ends its side of the connection, and gives all answers up to the end of the other side. */
export async function exchange(url: string, bytes: string | Buffer): Promise<RawAnswer[]> {
  const socket = open(url);
  socket.end(bytes);
  return answersOf(await textOf(socket));
}

/** All that comes until the other side ends the connection. */
export async function textOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  await finished(socket, { writable: false }).catch(() => undefined);
  socket.destroy();
  return Buffer.concat(chunks).toString('utf8');
}

/** The answers in a text; an interim one (RFC 9110 section 15.2) is left out. Throws for what is no HTTP/1.1. */
export function answersOf(text: string): RawAnswer[] {
  if (text === '') return [];
  const [, status = '', fields = ''] =
    /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(text) ?? [];
  if (status === '')
    throw new Error(`Expected an answer of HTTP/1.1, got ${JSON.stringify(text.slice(0, 200))}`);
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
  if (status.startsWith('1')) return answersOf(rest);
  const length = Number(headers['content-length'] ?? 0);
  const bytes = Buffer.from(rest);
  return [
    { status: Number(status), headers, body: bytes.subarray(0, length).toString() },
    ...answersOf(bytes.subarray(length).toString()),
  ];
}
