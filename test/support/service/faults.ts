/** What a service can do wrong with one request, and how each of it is done. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Fault = (
  | /** Never answers. */ { kind: 'hang' }
    /** Tears the connection down with a reset. */
  | { kind: 'reset' }
  /** Closes the connection without an answer. */
  | { kind: 'hangUp' }
  /** Sends the true answer's headers one byte at a time, and never comes to their end. */
  | { kind: 'slowHeaders' }
  /** Sends the true answer's body one byte at a time. */
  | { kind: 'drip' }
  /** Sends half of the true answer's body, then tears the connection down. */
  | { kind: 'resetMidBody' }
  /** Sends half of the true answer's body, then closes the connection: what the framing says tells the cut, or does not. */
  | { kind: 'cut'; framing: 'chunked' | 'connection' | 'length' }
  /** Sends bytes that are no HTTP, then closes the connection. */
  | { kind: 'garbage'; bytes: Buffer }
  /** Waits before the true answer, or before a further fault. */
  | { kind: 'late'; until: () => Promise<unknown>; then?: Fault }
  /** Answers something else; what is left out is as in the true answer. */
  | { kind: 'answer'; status?: number; reason?: string; headers?: OutgoingHeaders; body?: Buffer | string }
  /** Sends an interim answer (RFC 9110 section 15.2) before the true one. */
  | { kind: 'interim'; status: 102 | 103 }
  /** Answers with a body of so many zeros, with its length declared or not. */
  | { kind: 'stream'; bytes: number; isDeclared: boolean }
) & {
  /** Whether the service carries the call out before the fault. @default true, but false for an answer from status 400 on */
  isExecuted?: boolean;
};

export type OutgoingHeaders = Record<string, string | string[]>;

/** The answer that the service would give. */
export interface TrueAnswer {
  status: number;
  /** Value of the JSON body; there is none when undefined. */
  value: unknown;
}

/** Time between two bytes of a slow answer, in milliseconds. */
const BYTE_INTERVAL_MS = 20;
const ZEROS = Buffer.alloc(65_536);

export function isExecuted(fault: Fault | undefined): boolean {
  if (fault === undefined) return true;
  if (fault.isExecuted !== undefined) return fault.isExecuted;
  if (fault.kind === 'late') return isExecuted(fault.then);
  return fault.kind !== 'answer' || (fault.status ?? 200) < 400;
}

export function respond(response: ServerResponse, fault: Fault | undefined, truth: TrueAnswer): void {
  const { socket } = response;
  // The caller of the service may be gone by now.
  if (socket === null || socket.destroyed) return;
  const body = JSON.stringify(truth.value ?? {});
  const half = body.slice(0, body.length / 2);
  const head = (framing: string) => `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`;
  const length = `content-length: ${body.length}`;

  switch (fault?.kind) {
    case undefined:
      answer(response, truth, {});
      return;
    case 'hang':
      return;
    case 'reset':
      socket.resetAndDestroy();
      return;
    case 'hangUp':
      socket.end();
      return;
    case 'slowHeaders':
      writeSlowly(socket, head(`x-padding: ${'x'.repeat(100_000)}`));
      return;
    case 'drip':
      socket.write(head(`content-length: ${body.length + 100_000}`));
      writeSlowly(socket, body + ' '.repeat(100_000));
      return;
    case 'resetMidBody':
      socket.write(head(length) + half, () => socket.resetAndDestroy());
      return;
    case 'cut':
      socket.end(
        {
          chunked: `${head('transfer-encoding: chunked')}${half.length.toString(16)}\r\n${half}\r\n`,
          connection: head('connection: close') + half,
          length: head(length) + half,
        }[fault.framing],
      );
      return;
    case 'garbage':
      socket.end(fault.bytes);
      return;
    case 'late':
      void fault.until().then(() => {
        respond(response, fault.then, truth);
      });
      return;
    case 'answer':
      answer(response, truth, fault);
      return;
    case 'interim':
      if (fault.status === 102) response.writeProcessing();
      else response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      answer(response, truth, {});
      return;
    case 'stream':
      response.writeHead(200, {
        'content-type': 'application/json',
        ...(fault.isDeclared && { 'content-length': fault.bytes }),
      });
      stream(response, fault.bytes);
  }
}

function answer(
  response: ServerResponse,
  truth: TrueAnswer,
  { status = truth.status, reason, headers, body }: Omit<Extract<Fault, { kind: 'answer' }>, 'kind'>,
): void {
  const text = body ?? (truth.value === undefined ? '' : JSON.stringify(truth.value));
  const all = { ...(text.length > 0 && { 'content-type': 'application/json' }), ...headers };
  if (reason === undefined) response.writeHead(status, all);
  else response.writeHead(status, reason, all);
  response.end(text);
}

function writeSlowly(socket: Socket, text: string): void {
  let sent = 0;
  const timer = setInterval(() => {
    socket.write(text.slice(sent, sent + 1));
    sent += 1;
  }, BYTE_INTERVAL_MS);
  socket.once('close', () => {
    clearInterval(timer);
  });
}

/** Writes as fast as the other side reads. */
function stream(response: ServerResponse, bytes: number): void {
  let left = bytes;
  const proceed = () => {
    while (left > 0 && !response.destroyed) {
      const chunk = ZEROS.subarray(0, left);
      left -= chunk.length;
      if (!response.write(chunk)) return void response.once('drain', proceed);
    }
    response.end();
  };
  proceed();
}
