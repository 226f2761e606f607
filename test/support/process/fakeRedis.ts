/** A Redis whose replies a test decides, for what a real one cannot be made to do. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';

/** What it does with a script: sends this reply (RESP), sends nothing, or closes the connection. */
export type ScriptReply = `${'-' | '+' | ':' | '_' | '*' | '$' | '?'}${string}` | 'none' | 'close';

export interface FakeRedis {
  readonly url: URL;
  /** The arguments of each script that arrived: its keys, and the rest. */
  readonly scripts: string[][];
  /** How many commands have arrived, also those that wait for the reply to an earlier one. */
  received: number;
  /** What INFO says; an error if it starts with a minus. */
  info: string;
  reply: (args: string[]) => ScriptReply | Promise<ScriptReply>;
  /** Time that each command takes. */
  delayMs: number;
  /** Whether it replies to nothing at all. */
  isSilent: boolean;
  close(): void;
}

/**
 * The reply of the gateway's scripts: their subject if they have done what they are for, and what else they found. @default a lookup finds
 * nothing, all others are done
 */
export function replyTo(args: readonly string[], found?: { text: string; leftMs: number }): ScriptReply {
  const lookup = args.findIndex((text) => text.startsWith('find '));
  const keys = Math.max(lookup, 1);
  const subject = args[keys] ?? '';
  if (lookup < 0 && !found) return bulk(subject);
  const record = `*2\r\n${found ? `${bulk(found.text)}\r\n:${found.leftMs}` : '$-1\r\n:-2'}\r\n`;
  return `*2\r\n*${keys}\r\n${record.repeat(keys)}${bulk(subject)}`;
}

function bulk(text: string): ScriptReply {
  return `$${Buffer.byteLength(text)}\r\n${text}`;
}

/** The reply of a Redis to which keys are entrusted. */
export const HEALTHY = 'maxmemory_policy:noeviction\r\n';

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
      fake.received += commands.length;
      // One after the other, as Redis replies in order.
      for (const command of commands) previous = previous.then(() => respond(socket, command));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const fake: FakeRedis = {
    url: new URL(`redis://127.0.0.1:${(server.address() as AddressInfo).port}`),
    scripts: [],
    received: 0,
    info: HEALTHY,
    reply: (args) => replyTo(args),
    delayMs: 0,
    isSilent: false,
    close() {
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
      // Of the test of a connection, which a real Redis has to pass.
      if (args[2]?.includes(':idempotency:test:')) return void socket.write(`${replyTo(args.slice(2))}\r\n`);
      fake.scripts.push(args.slice(2)); // without the script and the number of keys
      const reply = await fake.reply(args.slice(2));
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
