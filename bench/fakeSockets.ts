/**
 * Preloaded into a gateway (`node --import`), so that its clients and the REST service are objects in its own process: no kernel, and
 * nothing to wait for. Once the gateway listens, measures the CPU time of its thread per request, or profiles it, on command of inProcess.ts.
 */
import type { Server } from 'node:http';
import { Session, type Profiler } from 'node:inspector/promises';
import { syncBuiltinESMExports } from 'node:module';
import net, { type Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** What inProcess.ts sends. */
export interface Command {
  /** Complete HTTP requests, sent round-robin. */
  requests: readonly string[];
  /** Body of the response to a call of the REST service, by method and path. */
  responses: Readonly<Record<string, string>>;
  connections: number;
  /** Requests to send. */
  count: number;
  /** Whether to profile them. */
  hasProfile: boolean;
}

/** What it gets. */
export interface Measurement {
  /** CPU time of the thread per request. */
  microseconds: number;
  profile?: Profiler.Profile;
}

let bodies: Record<string, Buffer> = {};

/** Bytes that are written in one tick of the event loop arrive at the end of it, as with a kernel. */
class FakeSocket extends Duplex {
  readonly remoteAddress = '127.0.0.1';
  readonly remotePort = 50_000;
  readonly connecting = false;
  readonly bytesRead = 1;

  private readonly onWrite: (text: string) => void; // types alone are stripped: no parameter property

  constructor(onWrite: (text: string) => void) {
    super({ decodeStrings: true });
    this.onWrite = onWrite;
  }

  override _read(): void {
    // Whoever has something to say pushes it.
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.onWrite(chunk.toString('latin1'));
    done();
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.onWrite(chunks.map(({ chunk }) => chunk.toString('latin1')).join(''));
    done();
  }

  setKeepAlive = () => this;
  setNoDelay = () => this;
  setTimeout = () => this;
  ref = () => this;
  unref = () => this;
}

const due: (() => void)[] = [];

function atEndOfTick(action: () => void): void {
  if (due.push(action) > 1) return;
  setImmediate(() => {
    for (const each of due.splice(0)) each();
  });
}

/** A connection of the gateway to the REST service. */
function connectToService(): FakeSocket {
  let received = '';
  const socket = new FakeSocket((text) => {
    received += text;
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd < 0 || received.length < headEnd + 4 + contentLength(received)) return;
    const path = received.slice(0, received.indexOf(' HTTP'));
    received = '';
    atEndOfTick(() => socket.push(bodies[path] ?? notFound));
  });
  setImmediate(() => socket.emit('connect'));
  return socket;
}

const notFound = response('{"messages":[{"message":"There is no such thing."}]}', '404 Not Found');

function response(body: string, status = '200 OK'): Buffer {
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}`;
  return Buffer.from(`${head}\r\nDate: ${new Date().toUTCString()}\r\nConnection: keep-alive\r\n\r\n${body}`);
}

function contentLength(text: string): number {
  return Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
}

/** A client that sends its next request when it has the response to the last one. */
function connectClient(server: Server, send: (socket: FakeSocket) => void): void {
  let received = '';
  const socket = new FakeSocket((text) => {
    received += text;
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd < 0 || received.length < headEnd + 4 + contentLength(received)) return;
    if (!received.startsWith('HTTP/1.1 200') || received.includes('"errors":'))
      throw new Error(`Expected a response without errors, got ${received}`);
    received = '';
    atEndOfTick(() => send(socket));
  });
  server.emit('connection', socket as unknown as Socket);
  send(socket);
}

async function measure(server: Server, command: Command): Promise<Measurement> {
  const { requests, connections, count, hasProfile } = command;
  const bytes = requests.map((each) => Buffer.from(each));
  bodies = Object.fromEntries(
    Object.entries(command.responses).map(([call, body]) => [call, response(body)]),
  );
  const session = new Session();
  if (hasProfile) {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: 100 });
    await session.post('Profiler.start');
  }
  const before = cpuMicroseconds();
  let sent = 0;
  let open = connections;
  await new Promise<void>((resolve) => {
    const send = (socket: FakeSocket) => {
      if (sent < count) socket.push(bytes[sent++ % bytes.length]);
      else {
        socket.push(null);
        open -= 1;
        if (open === 0) resolve();
      }
    };
    for (let client = 0; client < connections; client += 1) connectClient(server, send);
  });
  const microseconds = (cpuMicroseconds() - before) / count;
  const { profile } = hasProfile ? await session.post('Profiler.stop') : { profile: undefined };
  session.disconnect();
  return { microseconds, ...(profile && { profile }) };
}

/** CPU time of this thread. Node.js has it from version 23.9 on, its types have not yet. */
function cpuMicroseconds(): number {
  const { user, system } = (
    process as unknown as { threadCpuUsage: typeof process.cpuUsage }
  ).threadCpuUsage();
  return user + system;
}

// oxlint-disable-next-line typescript/unbound-method -- called with its server
const { listen } = net.Server.prototype;
net.Server.prototype.listen = function (this: net.Server, ...args: unknown[]) {
  // The first server that listens is the gateway's; another one is for its metrics.
  net.Server.prototype.listen = listen;
  this.once('listening', () => {
    net.connect = net.createConnection = connectToService as never;
    syncBuiltinESMExports();
    process.on('message', (command: Command) => {
      void measure(this as Server, command).then((measurement) => process.send?.(measurement));
    });
    process.send?.('listening');
  });
  return Reflect.apply(listen, this, args) as net.Server;
} as typeof listen;
process.once('disconnect', () => process.exit());
