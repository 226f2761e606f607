/** A REST service that injects faults, and records every request and every call that it executed. */
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { isExecuted, respond, type FaultPlan, type CorrectResponse } from './faults.js';
import type { RecordedCall } from './openapi.js';

export interface ServiceRequest extends RecordedCall {
  /** Header names and values, alternating, as received. */
  rawHeaders: readonly string[];
  /** Notification name or guid, shipment reference number, or the query parameter `subject`. */
  subject: string;
  /** Number of earlier requests with the same method and subject. */
  before: number;
  /** When it was received, by `performance.now()`. */
  at: number;
  connection: Connection | undefined;
}

export interface Connection {
  readonly openedAt: number;
  /** By `performance.now()`; undefined while it is open. */
  closedAt?: number;
  /** Bytes that the service sent, once it is closed. */
  bytesSent: number;
  /** Bytes that the service received, once it is closed. */
  bytesReceived: number;
}

export interface FaultServer {
  readonly url: string;
  /** Faults of the first, second, … request for a subject; later ones succeed. */
  readonly faults: Map<string, readonly FaultPlan[]>;
  /** Chooses the fault of a request, or none. @default looks it up in `faults` */
  plan: (request: ServiceRequest) => FaultPlan | undefined;
  /** Chooses the fault of a new connection: reset at once, or never read from. */
  planConnection: () => 'ignore' | 'reset' | undefined;
  /** All requests received, in order. */
  readonly requests: readonly ServiceRequest[];
  /** All connections accepted, in order. */
  readonly connections: readonly Connection[];
  /** Peak number of requests in flight. */
  readonly maxInFlight: number;
  /** How many times a call was executed. */
  timesExecuted(method: string, subject: string): number;
  /** What happens to a connection when a response has been sent over it. @default nothing */
  onResponse: (socket: Socket) => void;
  /** Closes every open connection. @default with FIN */
  disconnect(close?: (socket: Socket) => void): void;
  /** Closes the port but keeps open connections. */
  refuse(): void;
  /** Reopens the same port. */
  accept(): Promise<void>;
  stop(): Promise<void>;
}

export interface FaultServerOptions {
  /** Maps an Authorization header to the name of its user. */
  userOf?: (authorization: string | undefined) => string;
  /** The address to listen on. @default 127.0.0.1 */
  host?: string;
  /** @default a free one */
  port?: number;
}

export async function startFaultServer({
  userOf = () => 'robin.planner',
  host = '127.0.0.1',
  port: chosenPort = 0,
}: FaultServerOptions = {}): Promise<FaultServer> {
  const faults = new Map<string, readonly FaultPlan[]>();
  const requests: ServiceRequest[] = [];
  const connections: Connection[] = [];
  const bySocket = new Map<Socket, Connection>();
  const requestCounts = new Map<string, number>();
  const executed = new Map<string, number>();
  let inFlight = 0;
  let maxInFlight = 0;

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    inFlight += 1;
    maxInFlight = Math.max(maxInFlight, inFlight);
    response.once('close', () => {
      inFlight -= 1;
    });
    response.once('finish', () => server.onResponse(incoming.socket));
    const { method = '', url = '', headers, rawHeaders } = incoming;
    const [path = '', query = ''] = url.split('?');
    const body = await text(incoming);
    const subject = subjectOf(path, query, body);
    const key = `${method} ${subject}`;
    const request = {
      method,
      path,
      query,
      headers,
      rawHeaders,
      body,
      subject,
      before: requestCounts.get(key) ?? 0,
      at: performance.now(),
      connection: bySocket.get(incoming.socket),
    };
    requestCounts.set(key, request.before + 1);
    requests.push(request);
    const fault = server.plan(request);
    if (isExecuted(fault)) executed.set(key, (executed.get(key) ?? 0) + 1);
    respond(response, fault, correctResponse(request, userOf(headers.authorization)));
  };
  const http = createHttpServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (incoming, response) => {
    // The gateway may abort its request at any time.
    handle(incoming, response).catch(() => incoming.destroy());
  });
  const listener = createServer((socket) => {
    const connection: Connection = { openedAt: performance.now(), bytesSent: 0, bytesReceived: 0 };
    connections.push(connection);
    bySocket.set(socket, connection);
    socket.once('close', () => {
      bySocket.delete(socket);
      connection.closedAt = performance.now();
      connection.bytesSent = socket.bytesWritten;
      connection.bytesReceived = socket.bytesRead;
    });
    const fault = server.planConnection();
    if (fault === undefined) http.emit('connection', socket);
    else socket.on('error', () => socket.destroy());
    if (fault === 'reset') socket.resetAndDestroy();
  });
  const listen = (port: number) => new Promise<void>((resolve) => listener.listen(port, host, resolve));
  await listen(chosenPort);
  const { port } = listener.address() as AddressInfo;

  const server: FaultServer = {
    url: `http://${host}:${port}`,
    faults,
    plan: ({ subject, before }) => faults.get(subject)?.[before],
    planConnection: () => undefined,
    requests,
    connections,
    get maxInFlight() {
      return maxInFlight;
    },
    timesExecuted: (method, subject) => executed.get(`${method} ${subject}`) ?? 0,
    onResponse: () => undefined,
    disconnect(close = (socket) => socket.destroy()) {
      for (const socket of bySocket.keys()) close(socket);
    },
    refuse: () => void listener.close(),
    accept: () => listen(port),
    async stop() {
      const isClosed = new Promise((resolve) => listener.close(resolve));
      server.disconnect();
      await isClosed;
    },
  };
  return server;
}

function subjectOf(path: string, query: string, body: string): string {
  const value = (body === '' ? {} : JSON.parse(body)) as Record<string, unknown>;
  const guid = /^\/v1\/customnotifications\/(.+)$/.exec(path)?.[1];
  if (guid !== undefined) return decodeURIComponent(guid);
  const subject = value['notificationName'] ?? value['FreightProviderReferenceNumber'];
  return typeof subject === 'string' ? subject : (new URLSearchParams(query).get('subject') ?? '');
}

/** Every notification exists, and each user has a list with one. A write returns what was sent, but does not change what reads find. */
function correctResponse({ method, path, subject, body }: ServiceRequest, user: string): CorrectResponse {
  if (path.startsWith('/atlas/'))
    return method === 'POST' ? { status: 200, value: true } : { status: 204, value: undefined };
  if (method === 'DELETE') return { status: 204, value: undefined };
  const sent = body === '' ? {} : (JSON.parse(body) as object);
  const data = [{ ...notification(subject, user), ...sent }];
  return { status: 200, value: { data, messages: [], totalPossibleCount: 1 } };
}

export function notification(subject: string, user: string) {
  return {
    notificationGuid: subject,
    notificationName: `About ${subject}`,
    notificationRecipientType: 'stopLevel',
    notificationTypeLabel: 'shipmentStatusChange',
    notificationTypes: ['ShipmentStatusDelivered'],
    notifyStopContactsByEmail: true,
    notifyStopContactsBySms: false,
    emailList: [],
    smsList: [],
    notificationMetaData: null,
    filters: [],
    lastUpdateUserName: user,
    lastUpdateDate: '2024-05-01T08:30:00.1234567-05:00',
  };
}
