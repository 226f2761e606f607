/**
 * The benchmark: `npm run bench`. The gateway and its peers take turns on a dedicated core, all against the
 * same REST service. `--help` lists the options.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants, cpus, loadavg, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chart } from './chart.js';
import { killOnExit, LOAD_CORE, stop } from './gatewayProcess.js';
import { measureCapacity, measureRound, type Figures } from './measure.js';
import { parseOptions, type Options } from './options.js';
import { createPeers } from './peers.js';
import { startRedisServers } from './redisServers.js';
import { median, tables, type Results } from './report.js';

const here = fileURLToPath(new URL('.', import.meta.url));

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

const options = parseOptions(process.argv.slice(2));
requireTwoCores();
installPeers();
const results = await run(options);
const text = tables(results);
console.log(text);
if (options.output !== undefined) {
  mkdirSync(options.output, { recursive: true });
  writeFileSync(join(options.output, 'benchmark.md'), `${text}\n`);
  writeFileSync(join(options.output, 'benchmark.json'), `${JSON.stringify(results, fourDigits, 2)}\n`);
  writeFileSync(join(options.output, 'benchmark.svg'), chart(results));
}

async function run({ rounds, seconds, workloads, ...options }: Options): Promise<Results> {
  const [loadBefore = NaN] = loadavg();
  execFileSync('taskset', ['-acp', String(LOAD_CORE), String(process.pid)]);
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const upstream = spawn(process.execPath, ['--import', 'tsx', join(here, 'upstream.ts')], {
    cwd: here,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  killOnExit(upstream);
  const redis = options.peers.includes('keyed') ? await startRedisServers(folder) : undefined;
  try {
    const upstreamUrl = await firstLine(upstream.stdout);
    // Redis goes first on the core that it shares, as if it had one of its own. The gateways inherit the lower priority, alone on theirs.
    if (redis)
      for (const pid of [0, upstream.pid ?? 0]) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
    const redisUrls = redis ?? { keyed: '', replicated: '' };
    const peers = createPeers(options.peers, { ...options, redisUrls, upstreamUrl, folder }).map((peer) => ({
      peer,
      measured: [] as Figures[],
      failure: undefined as string | undefined,
    }));
    const capacity: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      capacity.push(await measureCapacity(upstreamUrl, seconds));
      console.error(`Round ${round} of ${rounds}`);
      const running = peers.filter(({ failure }) => failure === undefined);
      const results = await measureRound(
        running.map(({ peer }) => peer),
        { workloads, seconds, upstreamUrl, folder },
      );
      for (const each of running) {
        const result = results.get(each.peer);
        if (result instanceof Error) {
          console.error(each.peer.title, result);
          each.failure = reasonOf(result);
          process.exitCode = 1;
        } else if (result) each.measured.push(result);
      }
    }
    return {
      date: new Date().toISOString().slice(0, 10),
      machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`,
      node: process.versions.node,
      loadAverage: [loadBefore, loadavg()[0] ?? NaN],
      seconds,
      capacityPerSecond: median(capacity),
      peers: peers.map(({ peer: { name, title, versions }, measured, failure }) => ({
        name,
        title,
        versions,
        ...(failure === undefined ? { rounds: measured } : { failure }),
      })),
    };
  } finally {
    await Promise.all([stop(upstream), redis?.stop()]);
  }
}

function requireTwoCores(): void {
  if (cpus().length >= 2 && process.platform === 'linux') return;
  throw new Error(
    'Expected Linux with two cores: one for the gateway under test, one for the load generator and the REST service',
  );
}

/** Installs the peers on first use and whenever their lock file has changed. */
function installPeers(): void {
  const installed = join(here, 'node_modules/.package-lock.json');
  const isCurrent =
    existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(here, 'package-lock.json')).mtimeMs;
  if (!isCurrent) execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: here, stdio: ['ignore', 2, 2] });
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line;
  throw new Error('The REST service did not start');
}

/** The first line of an error's innermost cause. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && error.cause !== undefined) return reasonOf(error.cause);
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0] ?? '';
}

function fourDigits(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value;
}
