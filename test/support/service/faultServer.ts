/** A REST service that misbehaves as it is told, and remembers everything that reached it and what it carried out. */
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { isExecuted, respond, type Fault, type TrueAnswer } from './faults.js';
import type { RecordedCall } from './openapi.js';

export interface ServiceRequest extends RecordedCall {
  /** Names and values of the headers in turn, as they arrived. */
  rawHeaders: readonly string[];
  /** What the request is about: a notification's name or guid, a shipment's reference number, or a query's `subject`. */
  subject: string;
  /** How many requests of this method were about this subject before. */
  before: number;
  /** When it was read, by performance.now(). */
  at: number;
  /** That it came over. */
  connection: Connection | undefined;
}

export interface Connection {
  readonly openedAt: number;
  /** Reading of performance.now(); undefined while it is open. */
  closedAt?: number;
  /** Bytes that the service sent; known when it is closed. */
  bytesSent: number;
  /** Bytes that the service read; known when it is closed. */
  bytesReceived: number;
}

export interface FaultServer {
  readonly url: string;
  /** What goes wrong with the first, the second, … request of a method about a subject; nothing with further ones. */
  readonly faults: Map<string, readonly Fault[]>;
  /** What goes wrong with a request; nothing when it gives undefined. @default as `faults` has it */
  plan: (request: ServiceRequest) => Fault | undefined;
  /** What goes wrong with a new connection: it is reset at once, or open but never read. */
  planConnection: () => 'ignore' | 'reset' | undefined;
  /** All requests that were read, in order. */
  readonly requests: readonly ServiceRequest[];
  /** All connections that were opened, in order. */
  readonly connections: readonly Connection[];
  /** Requests that were in flight at a time, at the most. */
  readonly mostInFlight: number;
  /** How often a call was carried out. */
  timesExecuted(method: string, subject: string): number;
  /** Closes every open connection. */
  disconnect(): void;
  /** Closes the port; open connections stay. */
  refuse(): void;
  /** Opens the same port again. */
  accept(): Promise<void>;
  stop(): Promise<void>;
}

export interface FaultServerOptions {
  /** Name of the user that an Authorization header stands for. */
  userOf?: (authorization: string | undefined) => string;
}

export async function startFaultServer({
  userOf = () => 'robin.planner',
}: FaultServerOptions = {}): Promise<FaultServer> {
  const faults = new Map<string, readonly Fault[]>();
  const requests: ServiceRequest[] = [];
  const connections: Connection[] = [];
  const bySocket = new Map<Socket, Connection>();
  const seen = new Map<string, number>();
  const executed = new Map<string, number>();
  let inFlight = 0;
  let mostInFlight = 0;

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    inFlight += 1;
    mostInFlight = Math.max(mostInFlight, inFlight);
    response.once('close', () => {
      inFlight -= 1;
    });
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
      before: seen.get(key) ?? 0,
      at: performance.now(),
      connection: bySocket.get(incoming.socket),
    };
    seen.set(key, request.before + 1);
    requests.push(request);
    const fault = server.plan(request);
    if (isExecuted(fault)) executed.set(key, (executed.get(key) ?? 0) + 1);
    respond(response, fault, trueAnswer(request, userOf(headers.authorization)));
  };
  const http = createHttpServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (incoming, response) => {
    // The gateway may give its request up at any time.
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
  const listen = (port: number) =>
    new Promise<void>((resolve) => listener.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = listener.address() as AddressInfo;

  const server: FaultServer = {
    url: `http://127.0.0.1:${port}`,
    faults,
    plan: ({ subject, before }) => faults.get(subject)?.[before],
    planConnection: () => undefined,
    requests,
    connections,
    get mostInFlight() {
      return mostInFlight;
    },
    timesExecuted: (method, subject) => executed.get(`${method} ${subject}`) ?? 0,
    disconnect() {
      for (const socket of bySocket.keys()) socket.destroy();
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

/** The service has every notification that it is asked for, and each caller's own list. */
function trueAnswer({ method, path, subject }: ServiceRequest, user: string): TrueAnswer {
  if (path.startsWith('/atlas/'))
    return method === 'POST' ? { status: 200, value: true } : { status: 204, value: undefined };
  if (method === 'DELETE') return { status: 204, value: undefined };
  return { status: 200, value: { data: [notification(subject, user)], messages: [], totalPossibleCount: 1 } };
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
