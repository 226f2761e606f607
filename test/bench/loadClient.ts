/** One connection to a gateway, over which one request after the other goes. */
import { connect, type Socket } from 'node:net';
import { TOKEN } from './fixtures.js';

export const headers = {
  accept: 'application/json',
  authorization: `Bearer ${TOKEN}`,
  'content-type': 'application/json',
};

export interface CallerOptions {
  port: number;
  /** What each answer has to be: 200, with a body of so many bytes. */
  bodyBytes: number;
}

/** A whole HTTP request. */
export function requestOf(method: 'GET' | 'POST', path: string, body = ''): Buffer {
  const fields = Object.entries({ host: '127.0.0.1', ...headers, 'content-length': Buffer.byteLength(body) });
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

export interface Caller {
  /** Sends a request, and waits for the right answer. */
  send(request: Buffer): Promise<void>;
  close(): void;
}

export async function openCaller({ port, bodyBytes }: CallerOptions): Promise<Caller> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  let settle: { resolve: () => void; reject: (error: Error) => void } | undefined;
  readAnswers(socket, {
    onAnswer(status, length) {
      if (status === 200 && length === bodyBytes) settle?.resolve();
      else settle?.reject(new Error(`Expected 200 with ${bodyBytes} bytes, got ${status} with ${length}`));
    },
    onEnd(error) {
      settle?.reject(error ?? new Error('Expected an answer, got the end of the connection'));
    },
  });
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}

interface AnswerListener {
  onAnswer: (status: number, bodyBytes: number) => void;
  onEnd: (error?: Error) => void;
}

/** Reads HTTP/1.1 answers that tell their length and come one at a time. */
function readAnswers(socket: Socket, { onAnswer, onEnd }: AnswerListener): void {
  let head = '';
  let status = 0;
  let length = 0;
  let missing = 0;
  socket.on('data', (chunk) => {
    if (missing === 0) {
      const text = head + chunk.toString('latin1');
      const headEnd = text.indexOf('\r\n\r\n');
      if (headEnd < 0) {
        head = text;
        return;
      }
      status = Number(text.slice(9, 12));
      length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, headEnd + 2))?.[1] ?? NaN);
      if (Number.isNaN(length)) {
        onEnd(new Error('Expected an answer with a content-length'));
        return;
      }
      missing = headEnd + 4 + length - text.length;
      head = '';
    } else {
      missing -= chunk.length;
    }
    if (missing <= 0) {
      missing = 0;
      onAnswer(status, length);
    }
  });
  socket.once('error', onEnd).once('close', () => {
    onEnd();
  });
}
