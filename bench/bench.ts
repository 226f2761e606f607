/**
 * The benchmark: `npm run bench`. Runs the gateway and its peers one at a time on a dedicated core, all against the
 * same REST service. `--help` lists the options.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chart } from './chart.js';
import { killOnExit, LOAD_CORE, stop } from './gatewayProcess.js';
import { measureCapacity, measureParseBaseline } from './limits.js';
import { measureRound, type Figures } from './measure.js';
import { parseOptions, type Options } from './options.js';
import { createPeers } from './peers.js';
import { tables, type Results } from './report.js';

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
  writeFileSync(join(options.output, 'benchmark.json'), `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(join(options.output, 'benchmark.svg'), chart(results));
}

async function run({ rounds, seconds, warmUpSeconds, workloads, ...options }: Options): Promise<Results> {
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
  try {
    const upstreamUrl = await firstLine(upstream.stdout);
    const peers = createPeers(options.peers, {
      upstreamUrl,
      folder,
      before: options.before,
      redisUrl: options.redisUrl,
    }).map((peer) => ({
      peer,
      rounds: [] as Figures[],
    }));
    const parseBaseline: number[] = [];
    const capacity: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      parseBaseline.push(measureParseBaseline());
      capacity.push(await measureCapacity(upstreamUrl, warmUpSeconds));
      for (const { peer, rounds: measured } of peers) {
        console.error(`Round ${round} of ${rounds}: ${peer.title}`);
        measured.push(await measureRound(peer, { workloads, seconds, warmUpSeconds, upstreamUrl, folder }));
      }
    }
    return {
      date: new Date().toISOString().slice(0, 10),
      machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`,
      loadAverage: [loadBefore, loadavg()[0] ?? NaN],
      rounds,
      seconds,
      parseBaselineMicroseconds: median(parseBaseline),
      capacityPerSecond: median(capacity),
      peers: peers.map(({ peer: { name, title, version, runtime }, rounds: measured }) => ({
        name,
        title,
        version,
        runtime,
        figures: medians(measured),
        rounds: measured,
      })),
    };
  } finally {
    await stop(upstream);
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

function medians(rounds: readonly Figures[]): Figures {
  const names = Object.keys(rounds[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [name, median(rounds.map((figures) => figures[name] ?? NaN))]),
  );
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? NaN)
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}
