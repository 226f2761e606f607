/**
 * What a request costs the thread of a gateway, and where: `npm run bench:process -- --help`. Clients and service are fake sockets in the
 * gateway's process (fakeSockets.ts), so that a noisy machine shows the differences of a few percent that the benchmark does not.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Command, Measurement } from './fakeSockets.js';
import { envelopeOf, GUIDS, recordOf } from './fixtures.js';
import { freePort } from './gatewayProcess.js';
import { keyHeader, requestOf, withNewKey } from './loadClient.js';
import { gatewayDialect, type Operation } from './operations.js';
import { createPeers, type PeerName } from './peers.js';
import { median } from './report.js';
import { costsByStage, type Stage } from './stages.js';

const { values: options } = parseArgs({
  options: {
    before: { type: 'string' },
    peers: { type: 'string', default: 'ours,mercurius' },
    workloads: { type: 'string', default: 'R,M,P' },
    connections: { type: 'string', default: '32' },
    slices: { type: 'string', default: '60' },
    stages: { type: 'boolean', default: false },
    output: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(`npm run bench:process -- [options]

  --peers ours,mercurius,bare
  --before FOLDER     measures a built checkout of another commit, too
  --workloads R,M,K,P R reads, M tracking calls, K tracking calls with an idempotency key each (in memory), P polls
  --connections 32
  --slices 60         of 500 requests each; the processes take turns
  --stages            prints where the time of the first one goes, by a profile
  --output FOLDER     and writes the profile (R.cpuprofile), for the developer tools of a browser`);
  process.exit();
}

const REQUESTS_PER_SLICE = 500;
/** Until V8 has optimized what is hot, and operations are compiled. */
const WARM_UP_REQUESTS = 30_000;
const PROFILED_REQUESTS = 20_000;
/** What costs less is not listed. */
const LEAST_MICROSECONDS = 0.05;

type Workload = 'K' | 'M' | 'P' | 'R';
const titles: Record<Workload, string> = {
  R: 'reads',
  M: 'tracking calls',
  K: 'tracking calls with a key',
  P: 'polls',
};

const { read, track } = gatewayDialect;
const guids = GUIDS.slice(0, 1000);
const requests: Record<Workload, (count: number) => Buffer[]> = {
  R: () => guids.map((guid) => request(read(guid))),
  P: () => guids.slice(0, 1).map((guid) => request(read(guid))),
  M: () => [request(track())],
  K: (count) => Array.from({ length: count }, () => withNewKey(request(track(), keyHeader))),
};
const responses = {
  ...Object.fromEntries(
    guids.map((guid) => [
      `GET /v1/customnotifications/${guid}`,
      JSON.stringify(envelopeOf([recordOf(guid)])),
    ]),
  ),
  'POST /atlas/frexapi/shipment/track/': 'true',
};

function request(operation: Operation, headers?: Record<string, string>): Buffer {
  return requestOf('POST', '/graphql', JSON.stringify(operation), headers);
}

const folder = mkdtempSync(join(tmpdir(), 'bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const peers = createPeers(
  [
    ...(options.peers.split(',') as PeerName[]),
    ...(options.before === undefined ? [] : (['before'] as const)),
  ],
  {
    upstreamUrl: 'http://127.0.0.1:9', // nothing is sent there
    folder,
    before: options.before === undefined ? undefined : resolve(options.before),
    redisUrls: { keyed: '', replicated: '' },
  },
);

for (const workload of options.workloads.split(',') as Workload[]) {
  const running = await Promise.all(
    peers.map(async ({ title, command }) => ({
      title,
      child: await start(command, workload),
      costs: [] as number[],
    })),
  );
  const load = (count: number, hasProfile = false): Command => ({
    requests: requests[workload](count).map(String),
    responses,
    connections: Number(options.connections),
    count,
    hasProfile,
  });
  for (const { child } of running) {
    // In two parts: an operation is compiled when the process is idle.
    await run(child, load(WARM_UP_REQUESTS / 2));
    await run(child, load(WARM_UP_REQUESTS / 2));
  }
  for (let slice = 0; slice < Number(options.slices); slice += 1)
    for (const { child, costs } of slice % 2 === 0 ? running : running.toReversed())
      costs.push((await run(child, load(REQUESTS_PER_SLICE))).microseconds);
  const [ours] = running;
  console.log(
    `\n${titles[workload]}: µs of the thread per request, median; this gateway ÷ the other, median of the turns`,
  );
  for (const { title, costs } of running) {
    const ratios = costs.map((cost, turn) => (ours?.costs[turn] ?? NaN) / cost);
    console.log(`${title.padEnd(40)} ${median(costs).toFixed(1)} ${median(ratios).toFixed(3)}`);
  }
  if (ours && options.stages) {
    const { profile } = await run(ours.child, load(PROFILED_REQUESTS, true));
    if (profile) print(costsByStage(profile, median(ours.costs)));
    if (options.output !== undefined)
      writeFileSync(join(options.output, `${workload}.cpuprofile`), JSON.stringify(profile));
  }
  for (const { child } of running) child.kill();
}

function print(stages: readonly Stage[]): void {
  for (const { name, microseconds, functions } of stages) {
    if (microseconds < LEAST_MICROSECONDS) continue;
    console.log(`${microseconds.toFixed(2).padStart(8)}  ${name}`);
    for (const each of functions)
      if (each.microseconds >= LEAST_MICROSECONDS)
        console.log(`${each.microseconds.toFixed(2).padStart(16)}  ${each.name}`);
  }
}

async function start(
  commandOf: (port: number) => { arguments: readonly string[]; env?: object },
  workload: Workload,
) {
  const { arguments: args, env } = commandOf(await freePort());
  const main = args.at(-1) ?? '';
  const flags = args.slice(0, -1);
  const child = fork(main, {
    cwd: folder,
    execArgv: [...flags, '--import', fileURLToPath(new URL('fakeSockets.ts', import.meta.url))],
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      ...env,
      ...(workload === 'K' && { IDEMPOTENCY_STORE: 'memory' }),
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  process.on('exit', () => child.kill());
  const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as unknown[];
  if (message !== 'listening') throw new Error(`${main} did not start`);
  return child;
}

async function run(child: ChildProcess, command: Command): Promise<Measurement> {
  child.send(command);
  const [measurement] = (await once(child, 'message')) as [Measurement];
  return measurement;
}
