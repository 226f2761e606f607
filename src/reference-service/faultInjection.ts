import type { ServerResponse } from 'node:http';

/** What a test can make the service do instead of, or before, its real answer. */
export interface Fault {
  /** Waits first. Alone, it delays the real answer. */
  delayMs?: number;
  /** Sent instead of the real answer. @default 200, where there is a body */
  status?: number;
  /** Added to whichever answer is sent. @default content-type: application/json, where the real answer is not */
  headers?: Record<string, string>;
  /** Sent raw, instead of the real answer. @default '', where there is a status */
  body?: string | Buffer;
  /** Destroys the connection: with nothing sent, or in the middle of the body that was announced. */
  disconnect?: 'beforeAnswer' | 'midBody';
  /** Never answers, and keeps the connection open. */
  neverRespond?: true;
}

/** Returns false where the real answer is still to be given. */
export function injectFault(response: ServerResponse, fault: Fault): boolean {
  const { status, headers = {}, body, disconnect, neverRespond } = fault;
  if (neverRespond) return true;
  if (disconnect === 'beforeAnswer') {
    response.destroy();
    return true;
  }

  const isReplaced = status !== undefined || body !== undefined || disconnect !== undefined;
  if (isReplaced) response.setHeader('content-type', 'application/json');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (!isReplaced) return false;

  response.statusCode = status ?? 200;
  if (disconnect) sendHalf(response, Buffer.from(body ?? '{"data":[],"messages":[]}'));
  else response.end(body);
  return true;
}

function sendHalf(response: ServerResponse, body: Buffer): void {
  if (!response.hasHeader('content-length')) response.setHeader('content-length', body.length);
  response.write(body.subarray(0, body.length / 2), () => response.destroy());
}
