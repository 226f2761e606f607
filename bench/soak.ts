/**
 * The soak: `npm run bench:soak`. Sends a constant rate of reads and mutations to the gateway, and to a build of another
 * commit if `--before` names one, each against a separate REST service that keeps failing. Exits with code 1 if a
 * request got no response, a write was sent twice, or an outcome was wrong.
 */
import { spawn } from 'node:child_process';
import { on } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { GUIDS } from './fixtures.js';
import { killOnExit, startProgram, stop, type Program } from './gatewayProcess.js';
import { percentile } from './load.js';
import { gatewayDialect, type Operation } from './operations.js';
import { createPeers, type Peer } from './peers.js';
import type { SoakMessage } from './soakService.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const CLIENTS = 50;
const TICK_MS = 10;
const SAMPLE_MS = 1000;
const RESPONSE_TIMEOUT_MS = 60_000;

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    seconds: { type: 'string', default: '600' },
    rate: { type: 'string', default: '1000' },
    outages: { type: 'string', default: '60' },
  },
});
const seconds = Number(values.seconds);

const folder = mkdtempSync(join(tmpdir(), 'soak-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const names = values.before === undefined ? (['ours'] as const) : (['before', 'ours'] as const);
const soaks = await Promise.all(names.map(start));
await Promise.all(soaks.map(({ load }) => load()));
const figures = await Promise.all(soaks.map(({ finish }) => finish()));
console.log(
  `${seconds} s at ${values.rate} requests per second, Node ${process.versions.node}, ${cpus()[0]?.model ?? ''}`,
);
const rows = new Set(figures.flatMap((each) => Object.keys(each)));
console.table(
  Object.fromEntries(
    [...rows].map((row) => [
      row,
      Object.fromEntries(names.map((name, index) => [name, figures[index]?.[row] ?? 0])),
    ]),
  ),
);
process.exitCode = figures.every(
  (each) => each['no response'] === 0 && each['writes applied twice'] === 0 && each['wrong outcomes'] === 0,
)
  ? 0
  : 1;

type Figures = Record<string, number>;
type Outcome = 'APPLIED' | 'NOT_APPLIED' | 'UNKNOWN';

async function start(name: 'before' | 'ours') {
  const service = await startService();
  const [peer] = createPeers([name], {
    upstreamUrl: service.url,
    folder,
    before: values.before === undefined ? undefined : resolve(values.before),
    redisUrls: { keyed: '', replicated: '' },
  }) as [Peer];
  const program = await startProgram({
    command: (port) => {
      const command = peer.command(port);
      return { ...command, env: { ...command.env, TRUST_PROXY: '1' } };
    },
    folder,
    logFile: join(folder, `${name}.log`),
    isReady: async (port) => {
      const { ok } = await fetch(`http://127.0.0.1:${port}/readyz`);
      if (!ok) throw new Error('Not ready');
    },
  });
  const soak = createSoak(program, service);
  return {
    load: () => soak.load(),
    finish: async () => {
      const result = await soak.figures();
      await program.stop();
      await service.stop();
      return result;
    },
  };
}

interface Service {
  url: string;
  onRecovery: (listener: (recoveredAt: number) => void) => void;
  writes: () => Promise<Record<string, number>>;
  stop: () => Promise<void>;
}

async function startService(): Promise<Service> {
  const child = spawn(process.execPath, ['--import', 'tsx', join(here, 'soakService.ts'), values.outages], {
    cwd: here,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  killOnExit(child);
  const next = async <Key extends string>(key: Key) => {
    for await (const [message] of on(child, 'message'))
      if (key in (message as object)) return (message as Extract<SoakMessage, Record<Key, unknown>>)[key];
    throw new Error('The REST service ended');
  };
  return {
    url: await next('url'),
    onRecovery(listener) {
      child.on('message', (message: SoakMessage) => {
        if ('recoveredAt' in message) listener(message.recoveredAt);
      });
    },
    writes: () => {
      child.send('writes');
      return next('writes');
    },
    stop: () => stop(child),
  };
}

function createSoak(program: Program, service: Service) {
  const pool = new Pool(`http://127.0.0.1:${program.port}`, {
    connections: 256,
    headersTimeout: RESPONSE_TIMEOUT_MS,
    bodyTimeout: RESPONSE_TIMEOUT_MS,
  });
  const latenciesMs: number[] = [];
  const outcomes = new Map<string, Outcome>();
  const errors: Record<string, number> = {};
  const residentMegabytes: number[] = [];
  const recoveriesMs: number[] = [];
  let recoveredAt: number | undefined;
  let sent = 0;
  let noResponse = 0;
  let cpuSeconds = 0;

  const onSuccess = (sentAt: number) => {
    latenciesMs.push(performance.now() - sentAt);
    if (recoveredAt === undefined) return;
    recoveriesMs.push(Date.now() - recoveredAt);
    recoveredAt = undefined;
  };
  const send = async (number: number) => {
    const write = number % 10 < 3 ? String(number) : undefined;
    const sentAt = performance.now();
    try {
      const { body } = await pool.request({
        method: 'POST',
        path: '/graphql',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer client-${number % CLIENTS}`,
          'x-forwarded-for': `10.0.0.${number % CLIENTS}`,
        },
        body: JSON.stringify(write === undefined ? gatewayDialect.read(guidOf(number)) : track(write)),
      });
      const result = (await body.json()) as GraphQLResponse;
      const error = result.errors?.[0]?.extensions;
      if (error) errors[error.code] = (errors[error.code] ?? 0) + 1;
      else onSuccess(sentAt);
      if (write !== undefined) outcomes.set(write, error?.outcome ?? 'APPLIED');
    } catch {
      noResponse += 1;
    }
  };

  return {
    async load() {
      service.onRecovery((at) => {
        recoveredAt = at;
      });
      const cpuBefore = program.cpuSeconds();
      const pending = new Set<Promise<void>>();
      const startedAt = performance.now();
      const sampler = setInterval(() => residentMegabytes.push(program.residentBytes() / 1e6), SAMPLE_MS);
      for (;;) {
        const elapsedSeconds = (performance.now() - startedAt) / 1000;
        if (elapsedSeconds >= seconds) break;
        for (const due = elapsedSeconds * Number(values.rate); sent < due; sent += 1) {
          const request = send(sent).finally(() => pending.delete(request));
          pending.add(request);
        }
        await sleep(TICK_MS);
      }
      await Promise.all(pending);
      clearInterval(sampler);
      cpuSeconds = program.cpuSeconds() - cpuBefore;
    },

    async figures(): Promise<Figures> {
      const applied = await service.writes();
      await pool.destroy();
      latenciesMs.sort((a, b) => a - b);
      const isWrong = ([id, outcome]: [string, Outcome]) =>
        outcome !== 'UNKNOWN' && (outcome === 'APPLIED') !== (applied[id] ?? 0) > 0;
      const third = Math.floor(residentMegabytes.length / 3);
      return {
        requests: sent,
        'no response': noResponse,
        'writes applied twice': Object.values(applied).filter((count) => count > 1).length,
        'wrong outcomes': [...outcomes].filter(isWrong).length,
        'unknown outcomes': [...outcomes.values()].filter((outcome) => outcome === 'UNKNOWN').length,
        'successes in %': round((100 * latenciesMs.length) / sent),
        'p50 ms': round(percentile(latenciesMs, 0.5)),
        'p99 ms': round(percentile(latenciesMs, 0.99)),
        'p99.9 ms': round(percentile(latenciesMs, 0.999)),
        'longest recovery in ms': Math.max(0, ...recoveriesMs),
        'CPU µs per request': round((cpuSeconds / sent) * 1e6),
        'MB at most, first third': round(Math.max(...residentMegabytes.slice(0, third))),
        'MB at most, last third': round(Math.max(...residentMegabytes.slice(-third))),
        ...errors,
      };
    },
  };
}

interface GraphQLResponse {
  errors?: { extensions: { code: string; outcome?: Outcome } }[];
}

function guidOf(number: number): string {
  return GUIDS[number % GUIDS.length] ?? '';
}

/** Tracking of a shipment that no other request tracks. */
function track(id: string): Operation {
  const { query, variables } = gatewayDialect.track();
  const text = JSON.stringify(variables).replace(/("freightHaulerProviderXid"):"[^"]*"/, `$1:"${id}"`);
  return { query: query ?? '', variables: JSON.parse(text) as Operation['variables'] };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
