/** Command-line options. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { workloadNames, type WorkloadName } from './measure.js';
import { peerNames, type PeerName } from './peers.js';

export interface Options {
  peers: PeerName[];
  /** Checkout of another commit to compare with, built. */
  before: string | undefined;
  workloads: WorkloadName[];
  rounds: number;
  /** Duration of each load. */
  seconds: number;
  /** Output folder; nothing is written if undefined. */
  output: string | undefined;
}

const HELP = `npm run bench -- [options]

  --peers ${peerNames.join(',')}
                  gateways to measure; also: byId (this gateway, operations sent by their id)
  --before FOLDER measures a built checkout of another commit, too
  --redis         measures this gateway with an idempotency key per tracking call, too: recorded in a redis-server without and
                  with a replica, which it starts
  --workloads R,M,P,L,F
                  R reads, M tracking calls, P polls, L list, F several notifications per query; also: B (ten slow
                  tracking calls in one operation)
  --rounds 3      number of rounds; the results are medians
  --seconds 2     duration of each load; the load at half the peak runs three times as long
  --output FOLDER writes benchmark.json, .md and .svg`;

/** Exits the process after printing the help or an invalid option. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      peers: { type: 'string', default: peerNames.join(',') },
      before: { type: 'string' },
      redis: { type: 'boolean', default: false },
      workloads: { type: 'string', default: 'R,M,P,L,F' },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '2' },
      output: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    process.exit();
  }
  return {
    peers: [
      ...subset('peers', values.peers, [...peerNames, 'byId']),
      ...(values.redis ? (['keyed', 'replicated'] as const) : []),
      ...(values.before === undefined ? [] : (['before'] as const)),
    ],
    before: values.before === undefined ? undefined : resolve(values.before),
    workloads: subset('workloads', values.workloads, workloadNames),
    rounds: positive('rounds', values.rounds),
    seconds: positive('seconds', values.seconds),
    output: values.output === undefined ? undefined : resolve(values.output),
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
