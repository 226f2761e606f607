/** A Redis whose replies a test decides, for what a real one cannot be made to do. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';

/** What it does with a script: sends this reply (RESP), sends nothing, or closes the connection. */
export type ScriptReply = `${'-' | '+' | ':' | '_' | '*' | '$' | '?'}${string}` | 'none' | 'close';

export interface FakeScript {
  /** Of its run. */
  readonly name: string;
  readonly changes: readonly FakeChange[];
}

export interface FakeChange {
  readonly kind: 'add' | 'find' | 'replace';
  readonly key: string;
  /** The record to put in place; empty to remove it. */
  readonly after: string;
  readonly ttlMs: number;
}

export interface FakeRedis {
  readonly url: URL;
  /** Those that arrived, but for the tests of connections. */
  readonly scripts: FakeScript[];
  /** What INFO says; an error if it starts with a minus. */
  info: string;
  reply: (script: FakeScript) => ScriptReply | Promise<ScriptReply>;
  /** Time that each command takes. */
  delayMs: number;
  /** Whether it replies to nothing at all. */
  isSilent: boolean;
  stop(): void;
}

/** The reply of a script each of whose changes finds this record. @default a lookup finds nothing, all others are done */
export function replyTo(
  { name, changes }: FakeScript,
  find: (change: FakeChange) => { text: string; leftMs: number } | undefined = () => undefined,
): ScriptReply {
  const results = changes.map((change) => {
    const found = find(change);
    if (found) return `*2\r\n${bulk(found.text)}\r\n:${found.leftMs}\r\n`;
    return change.kind === 'find' ? '*2\r\n$-1\r\n:-2\r\n' : '$-1\r\n';
  });
  return `*3\r\n*${changes.length}\r\n${results.join('')}${bulk(name)}\r\n:1`;
}

function bulk(text: string): ScriptReply {
  return `$${Buffer.byteLength(text)}\r\n${text}`;
}

/** The reply of a Redis to which keys are entrusted. */
export const HEALTHY = 'maxmemory_policy:noeviction\r\n';

/** What a change is, by the first character of what must be there before. */
const kinds: Partial<Record<string, FakeChange['kind']>> = { '': 'add', '?': 'find' };

export async function startFakeRedis(): Promise<FakeRedis> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let pending: Buffer = Buffer.alloc(0);
    let previous = Promise.resolve();
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      const { commands, rest } = parseCommands(Buffer.concat([pending, chunk]));
      pending = rest;
      // One after the other, as Redis replies in order.
      for (const command of commands) previous = previous.then(() => respond(socket, command));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const fake: FakeRedis = {
    url: new URL(`redis://127.0.0.1:${(server.address() as AddressInfo).port}`),
    scripts: [],
    info: HEALTHY,
    reply: (script) => replyTo(script),
    delayMs: 0,
    isSilent: false,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  const respond = async (socket: Socket, [name = '', ...args]: string[]) => {
    if (fake.isSilent) return;
    if (fake.delayMs > 0) await sleep(fake.delayMs);
    if (/^info$/i.test(name))
      socket.write(
        fake.info.startsWith('-')
          ? `${fake.info}\r\n`
          : `$${Buffer.byteLength(fake.info)}\r\n${fake.info}\r\n`,
      );
    else if (!/^eval/i.test(name)) socket.write('+OK\r\n');
    else {
      const [, count, ...rest] = args;
      const keys = rest.slice(0, Number(count));
      const [name = '', ...others] = rest.slice(Number(count));
      const changes = keys.map((key, index): FakeChange => {
        const [before = '', after = '', ttl] = others.slice(3 * index);
        return { kind: kinds[before[0] ?? ''] ?? 'replace', key, after, ttlMs: Number(ttl) };
      });
      const script = { name, changes };
      const isTest = keys[0]?.includes(':idempotency:test:') ?? false;
      if (!isTest) fake.scripts.push(script);
      const reply = isTest ? replyTo(script) : await fake.reply(script);
      if (reply === 'close') socket.destroy();
      else if (reply !== 'none') socket.write(`${reply}\r\n`);
    }
  };
  return fake;
}

/** Commands are arrays of strings: `*2`, `$4`, `INFO`, … */
function parseCommands(data: Buffer): { commands: string[][]; rest: Buffer } {
  const commands: string[][] = [];
  let start = 0;
  for (;;) {
    let position = start;
    const readNumber = () => {
      const end = data.indexOf('\r\n', position);
      const number = end < 0 ? Number.NaN : Number(data.toString('latin1', position + 1, end));
      position = end + 2;
      return number;
    };
    const command: string[] = [];
    for (let count = readNumber(); count > 0; count -= 1) {
      const length = readNumber();
      if (Number.isNaN(length) || position + length + 2 > data.length)
        return { commands, rest: data.subarray(start) };
      command.push(data.toString('utf8', position, position + length));
      position += length + 2;
    }
    if (command.length === 0) return { commands, rest: data.subarray(start) };
    commands.push(command);
    start = position;
  }
}
