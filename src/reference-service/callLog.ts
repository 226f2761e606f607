import type { IncomingMessage, ServerResponse } from 'node:http';

/** Logs a line once the response is complete, or the connection closed. */
export function logCall(
  request: IncomingMessage,
  response: ServerResponse,
  log: (line: string) => void,
): void {
  const { method = '', url = '' } = request;
  const start = performance.now();
  response.once('close', () => {
    const result = response.writableFinished ? String(response.statusCode) : 'disconnected';
    log(`${method} ${url} ${result} ${Math.round(performance.now() - start)} ms`);
  });
}
