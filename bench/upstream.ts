/**
 * The benchmark's REST service, run in its own process: serves the paths of seeds/openapi.yaml from memory, as fast as
 * Node.js can. Prints its URL on startup; `GET /calls` returns the number of calls so far.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { envelopeOf, GUIDS, LIST_LENGTH, recordOf, SLOW_MS, SLOW_TYPE, TOKEN } from './fixtures.js';

interface CannedResponse {
  status: number;
  headers: Record<string, string | number>;
  body?: Buffer;
}

const NOTIFICATIONS = '/v1/customnotifications';
const records = new Map(
  GUIDS.map((guid) => [`${NOTIFICATIONS}/${guid}`, jsonResponse(envelopeOf([recordOf(guid)]))]),
);
const list = jsonResponse(envelopeOf(GUIDS.slice(0, LIST_LENGTH).map(recordOf)));
const created = jsonResponse(envelopeOf(GUIDS.slice(0, 1).map(recordOf)));
const tracked = jsonResponse(true);
const deleted: CannedResponse = { status: 204, headers: {} };
const notFound = jsonResponse({ messages: [{ message: 'There is no such thing.' }] }, 404);
const unauthorized = jsonResponse({ messages: [{ message: 'A bearer token is required.' }] }, 401);

let calls = 0;

const server = createServer((request, response) => {
  const { method = '', url = '' } = request;
  if (url === '/calls') {
    send(response, jsonResponse(calls));
    return;
  }
  calls += 1;
  const isAuthorized = request.headers.authorization === `Bearer ${TOKEN}`;
  if (method === 'GET') {
    send(response, isAuthorized ? read(url) : unauthorized);
    return;
  }
  let isSlow = false;
  request.on('data', (chunk: Buffer) => {
    isSlow ||= chunk.includes(SLOW_TYPE);
  });
  request.on('end', () => {
    if (url.startsWith(NOTIFICATIONS)) send(response, isAuthorized ? write(method, url) : unauthorized);
    else if (url === '/atlas/frexapi/shipment/track/' && method === 'POST')
      if (isSlow) setTimeout(() => send(response, tracked), SLOW_MS);
      else send(response, tracked);
    else
      send(response, url === '/atlas/frexapi/shipment/exception' && method === 'DELETE' ? deleted : notFound);
  });
});
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

function read(url: string): CannedResponse {
  return records.get(url) ?? (url === NOTIFICATIONS ? list : notFound);
}

function write(method: string, url: string): CannedResponse {
  if (method === 'POST' && url === NOTIFICATIONS) return created;
  const record = records.get(url);
  if (record === undefined) return notFound;
  return method === 'DELETE' ? deleted : record;
}

function jsonResponse(value: unknown, status = 200): CannedResponse {
  const body = Buffer.from(JSON.stringify(value));
  return { status, headers: { 'content-type': 'application/json', 'content-length': body.length }, body };
}

function send(response: ServerResponse, { status, headers, body }: CannedResponse): void {
  response.writeHead(status, headers).end(body);
}
