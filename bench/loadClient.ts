/** A client with one connection that sends one request at a time. */
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { TOKEN } from './fixtures.js';

export const headers = {
  accept: 'application/json',
  authorization: `Bearer ${TOKEN}`,
  'content-type': 'application/json',
};

export interface LoadClientOptions {
  port: number;
  /** Expected body length; every response must be a 200 of this length. */
  bodyBytes: number;
}

/** The header of a request that gets a key of its own each time it is sent. */
export const keyHeader = { 'idempotency-key': '00000000-0000-4000-8000-000000000000' };

/** Serializes a complete HTTP request. */
export function requestOf(
  method: 'GET' | 'POST',
  path: string,
  body = '',
  extraHeaders: Readonly<Record<string, string>> = {},
): Buffer {
  const fields = Object.entries({
    host: '127.0.0.1',
    ...headers,
    ...extraHeaders,
    'content-length': Buffer.byteLength(body),
  });
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

/** The request with a new key, if it has one. */
export function withNewKey(request: Buffer): Buffer {
  const offset = request.indexOf(keyHeader['idempotency-key']);
  if (offset < 0) return request;
  const copy = Buffer.from(request);
  copy.write(randomUUID(), offset);
  return copy;
}

export interface LoadClient {
  /**
   * Resolves with the body of the response if it is a sample, since it takes CPU to keep one. Rejects on a response of
   * another status or length than expected.
   */
  send(request: Buffer, isSample: boolean): Promise<string>;
  close(): void;
}

export async function connectClient({ port, bodyBytes }: LoadClientOptions): Promise<LoadClient> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  let settle: { resolve: (body: string) => void; reject: (error: Error) => void } | undefined;
  let chunks: Buffer[] | undefined;
  socket.on('data', (chunk) => chunks?.push(chunk));
  readResponses(socket, {
    onResponse(status, length) {
      const body = chunks === undefined ? '' : Buffer.concat(chunks).subarray(-length).toString();
      if (status === 200 && length === bodyBytes) settle?.resolve(body);
      else settle?.reject(new Error(`Expected 200 with ${bodyBytes} bytes, got ${status} with ${length}`));
    },
    onEnd(error) {
      settle?.reject(error ?? new Error('Expected a response, but the connection closed'));
    },
  });
  return {
    send: (request, isSample) =>
      new Promise((resolve, reject) => {
        chunks = isSample ? [] : undefined;
        settle = { resolve, reject };
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}

interface ResponseListener {
  onResponse: (status: number, bodyBytes: number) => void;
  onEnd: (error?: Error) => void;
}

/** Parses HTTP/1.1 responses that have a content-length and arrive one at a time. */
function readResponses(socket: Socket, { onResponse, onEnd }: ResponseListener): void {
  let head = '';
  let status = 0;
  let length = 0;
  let remaining = 0;
  socket.on('data', (chunk) => {
    if (remaining === 0) {
      const text = head + chunk.toString('latin1');
      const headEnd = text.indexOf('\r\n\r\n');
      if (headEnd < 0) {
        head = text;
        return;
      }
      status = Number(text.slice(9, 12));
      length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, headEnd + 2))?.[1] ?? NaN);
      if (Number.isNaN(length)) {
        onEnd(new Error('Expected a response with a content-length'));
        return;
      }
      remaining = headEnd + 4 + length - text.length;
      head = '';
    } else {
      remaining -= chunk.length;
    }
    if (remaining <= 0) {
      remaining = 0;
      onResponse(status, length);
    }
  });
  socket.once('error', onEnd).once('close', () => onEnd());
}
