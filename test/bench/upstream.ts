/**
 * The REST service of the benchmark, as a process of its own: it answers the paths of seeds/openapi.yaml from memory,
 * as fast as Node can. It prints its address, and counts its calls: `GET /calls` answers their number.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { envelopeOf, GUIDS, LIST_LENGTH, recordOf, TOKEN } from './fixtures.js';

interface Answer {
  status: number;
  headers: Record<string, string | number>;
  body?: Buffer;
}

const NOTIFICATIONS = '/v1/customnotifications';
const records = new Map(
  GUIDS.map((guid) => [`${NOTIFICATIONS}/${guid}`, jsonAnswer(envelopeOf([recordOf(guid)]))]),
);
const list = jsonAnswer(envelopeOf(GUIDS.slice(0, LIST_LENGTH).map(recordOf)));
const created = jsonAnswer(envelopeOf(GUIDS.slice(0, 1).map(recordOf)));
const tracked = jsonAnswer(true);
const deleted: Answer = { status: 204, headers: {} };
const notFound = jsonAnswer({ messages: [{ message: 'There is no such thing.' }] }, 404);
const unauthorized = jsonAnswer({ messages: [{ message: 'A bearer token is required.' }] }, 401);

let calls = 0;

const server = createServer((request, response) => {
  const { method = '', url = '' } = request;
  if (url === '/calls') {
    send(response, jsonAnswer(calls));
    return;
  }
  calls += 1;
  const isAuthorized = request.headers.authorization === `Bearer ${TOKEN}`;
  if (method === 'GET') {
    send(response, isAuthorized ? read(url) : unauthorized);
    return;
  }
  request.resume().on('end', () => {
    if (url.startsWith(NOTIFICATIONS)) send(response, isAuthorized ? write(method, url) : unauthorized);
    else if (url === '/atlas/frexapi/shipment/track/' && method === 'POST') send(response, tracked);
    else
      send(response, url === '/atlas/frexapi/shipment/exception' && method === 'DELETE' ? deleted : notFound);
  });
});
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

function read(url: string): Answer {
  return records.get(url) ?? (url === NOTIFICATIONS ? list : notFound);
}

function write(method: string, url: string): Answer {
  if (method === 'POST' && url === NOTIFICATIONS) return created;
  const record = records.get(url);
  if (record === undefined) return notFound;
  return method === 'DELETE' ? deleted : record;
}

function jsonAnswer(value: unknown, status = 200): Answer {
  const body = Buffer.from(JSON.stringify(value));
  return { status, headers: { 'content-type': 'application/json', 'content-length': body.length }, body };
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers).end(body);
}
