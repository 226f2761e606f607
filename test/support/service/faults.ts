/** The faults that the fault server can inject into one request. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type FaultPlan = (
  | /** Never responds. */ { kind: 'hang' }
  /** Resets the connection. */
  | { kind: 'reset' }
  /** Closes the connection without a response. */
  | { kind: 'close' }
  /** Sends response headers one byte at a time and never completes them. */
  | { kind: 'slowHeaders' }
  /** Sends the response body one byte at a time. */
  | { kind: 'drip' }
  /** Sends half of the response body, then resets the connection. */
  | { kind: 'resetMidBody' }
  /** Sends half of the response body, then closes the connection; only some framings reveal the truncation. */
  | { kind: 'cut'; framing: 'chunked' | 'connection' | 'length' }
  /** Sends these bytes instead of a response, then closes the connection. */
  | { kind: 'garbage'; bytes: Buffer }
  /** Delays the response, or another fault. */
  | { kind: 'delay'; until: () => Promise<unknown>; then?: FaultPlan }
  /** Sends another response; omitted parts are those of the correct one. */
  | { kind: 'respond'; status?: number; reason?: string; headers?: OutgoingHeaders; body?: Buffer | string }
  /** Sends an interim response (RFC 9110 §15.2) before the correct one. */
  | { kind: 'interim'; status: 102 | 103 }
  /** Responds with a body of zeros, with or without a declared length. */
  | { kind: 'stream'; bytes: number; isDeclared: boolean }
) & {
  /** Whether the service executes the call before the fault. @default true, but false for a response with status 400 or above */
  isExecuted?: boolean;
};

/** An empty content type stands for none. */
export type OutgoingHeaders = Record<string, string | string[]>;

/** The response that the service would send without a fault. */
export interface CorrectResponse {
  status: number;
  /** The JSON body; undefined for none. */
  value: unknown;
}

/** Time between two bytes of a slow response, in milliseconds. */
const BYTE_INTERVAL_MS = 20;
const ZEROS = Buffer.alloc(65_536);

export function isExecuted(fault: FaultPlan | undefined): boolean {
  if (fault === undefined) return true;
  if (fault.isExecuted !== undefined) return fault.isExecuted;
  if (fault.kind === 'delay') return isExecuted(fault.then);
  return fault.kind !== 'respond' || (fault.status ?? 200) < 400;
}

export function respond(
  response: ServerResponse,
  fault: FaultPlan | undefined,
  correct: CorrectResponse,
): void {
  const { socket } = response;
  // The gateway may have disconnected by now.
  if (socket === null || socket.destroyed) return;
  const body = JSON.stringify(correct.value ?? {});
  const half = body.slice(0, body.length / 2);
  const head = (framing: string) => `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`;
  const length = `content-length: ${body.length}`;

  switch (fault?.kind) {
    case undefined:
      sendResponse(response, correct, {});
      return;
    case 'hang':
      return;
    case 'reset':
      socket.resetAndDestroy();
      return;
    case 'close':
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
    case 'delay':
      void fault.until().then(() => respond(response, fault.then, correct));
      return;
    case 'respond':
      sendResponse(response, correct, fault);
      return;
    case 'interim':
      if (fault.status === 102) response.writeProcessing();
      else response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      sendResponse(response, correct, {});
      return;
    case 'stream':
      response.writeHead(200, {
        'content-type': 'application/json',
        ...(fault.isDeclared && { 'content-length': fault.bytes }),
      });
      stream(response, fault.bytes);
  }
}

function sendResponse(
  response: ServerResponse,
  correct: CorrectResponse,
  { status = correct.status, reason, headers, body }: Omit<Extract<FaultPlan, { kind: 'respond' }>, 'kind'>,
): void {
  const text = body ?? (correct.value === undefined ? '' : JSON.stringify(correct.value));
  const all = { ...(text.length > 0 && { 'content-type': 'application/json' }), ...headers };
  if (all['content-type'] === '') delete all['content-type'];
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
  socket.once('close', () => clearInterval(timer));
}

/** Writes as fast as the client reads. */
function stream(response: ServerResponse, bytes: number): void {
  let remaining = bytes;
  const proceed = () => {
    while (remaining > 0 && !response.destroyed) {
      const chunk = ZEROS.subarray(0, remaining);
      remaining -= chunk.length;
      if (!response.write(chunk)) return void response.once('drain', proceed);
    }
    response.end();
  };
  proceed();
}
