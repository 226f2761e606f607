/** Command-line options. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { workloadNames, type WorkloadName } from './measure.js';
import { peerNames, variantNames, type PeerName } from './peers.js';

export interface Options {
  peers: PeerName[];
  /** Checkout of another commit to compare with, built. */
  before: string | undefined;
  redisUrl: string | undefined;
  workloads: WorkloadName[];
  rounds: number;
  /** Duration of each load. */
  seconds: number;
  warmUpSeconds: number;
  /** Output folder; nothing is written if undefined. */
  output: string | undefined;
}

const HELP = `npm run bench -- [options]

  --peers ${peerNames.join(',')}   gateways to measure; also: byId (this gateway, operations by id) and keyed (with idempotency keys)
  --before FOLDER a built checkout of another commit, to measure as the peer "before"
  --redis URL     Redis that records the keys of keyed
  --workloads ${workloadNames.join(',')}                  R reads, M tracking, P polling, F several notifications per query, L list,
                              B a hundred slow tracking calls in one operation
  --rounds 3      number of rounds; the results are medians
  --seconds 3     duration of each load; the load at half the peak runs three times as long
  --output FOLDER where to write benchmark.json, .md and .svg (default: bench/results; none with --quick)
  --quick         one round with loads of one second: a smoke test, not a measurement`;

/** Exits the process after printing the help or an invalid option. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      peers: { type: 'string', default: peerNames.join(',') },
      before: { type: 'string' },
      redis: { type: 'string' },
      workloads: { type: 'string', default: workloadNames.join(',') },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      output: { type: 'string' },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    process.exit();
  }
  const { quick } = values;
  if (values.peers.split(',').includes('keyed') && values.redis === undefined)
    fail('--redis: expected the URL of a Redis for the peer keyed, got none');
  return {
    peers: [
      ...subset('peers', values.peers, [...peerNames, ...variantNames.filter((name) => name !== 'before')]),
      ...(values.before === undefined ? [] : (['before'] as const)),
    ],
    before: values.before === undefined ? undefined : resolve(values.before),
    redisUrl: values.redis,
    workloads: subset('workloads', values.workloads, workloadNames),
    rounds: positive('rounds', values.rounds ?? (quick ? '1' : '3')),
    seconds: positive('seconds', values.seconds ?? (quick ? '1' : '3')),
    warmUpSeconds: quick ? 1 : 3,
    output: values.output ?? (quick ? undefined : fileURLToPath(new URL('results', import.meta.url))),
  };
}

function subset<Name extends string>(option: string, text: string, names: readonly Name[]): Name[] {
  const requested = text.split(',');
  const unknown = requested.filter((name) => !(names as readonly string[]).includes(name));
  if (unknown.length > 0) fail(`--${option}: expected some of ${names.join(',')}, got ${unknown.join(',')}`);
  return names.filter((name) => requested.includes(name));
}

function positive(option: string, text: string): number {
  const number = Number(text);
  if (!(number > 0)) fail(`--${option}: expected a number above 0, got ${text}`);
  return number;
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
