import type { ServerResponse } from 'node:http';

/** A fault that a test injects into one response of the service. */
export interface Fault {
  /** Delay in milliseconds before the response, whether real or replaced. */
  delayMs?: number;
  /** Replaces the real response. @default 200 if the fault has a body */
  status?: number;
  /** Added to the response, real or replaced. @default content-type: application/json for a replaced response */
  headers?: Record<string, string>;
  /** Sent verbatim instead of the real body. @default '' if the fault has a status */
  body?: string | Buffer;
  /** Destroys the connection: before anything is sent, or halfway through the announced body. */
  disconnect?: 'beforeResponse' | 'midBody';
  /** Keeps the connection open without ever responding. */
  neverRespond?: true;
}

/** Returns false if the service still has to send the real response. */
export function injectFault(response: ServerResponse, fault: Fault): boolean {
  const { status, headers = {}, body, disconnect, neverRespond } = fault;
  if (neverRespond) return true;
  if (disconnect === 'beforeResponse') {
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
