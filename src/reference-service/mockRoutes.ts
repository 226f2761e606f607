import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { contractFile } from './seeds.js';

/** Requests that the contract does not have: not recorded, never delayed, and without faults. */
export type MockRoutes = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Returns a function that responds to these requests, and returns false for all others. */
export function createMockRoutes({ reset }: { reset: () => void }): MockRoutes {
  return (request, response) => {
    allowEveryOrigin(response);
    switch (`${request.method ?? ''} ${request.url ?? ''}`) {
      case 'GET /openapi.yaml':
        response.writeHead(200, { 'content-type': 'application/yaml' }).end(readFileSync(contractFile));
        return true;
      case 'POST /reset':
        request.resume();
        reset();
        response.writeHead(204).end();
        return true;
      default:
        return respondToPreflight(request, response);
    }
  };
}

function allowEveryOrigin(response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-expose-headers', 'retry-after, www-authenticate');
}

/** Allows the headers by name: the wildcard does not cover Authorization (Fetch standard, CORS protocol). */
function respondToPreflight(request: IncomingMessage, response: ServerResponse): boolean {
  const { origin, 'access-control-request-method': method } = request.headers;
  if (request.method !== 'OPTIONS' || origin === undefined || method === undefined) return false;
  response.setHeader('access-control-allow-methods', 'GET, POST, PUT, DELETE');
  response.setHeader(
    'access-control-allow-headers',
    request.headers['access-control-request-headers'] ?? 'authorization, content-type',
  );
  response.writeHead(204).end();
  return true;
}
