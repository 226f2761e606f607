/** The options of the command line. */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { workloadNames, type WorkloadName } from './measure.js';
import { peerNames, type PeerName } from './peers.js';

export interface Options {
  peers: PeerName[];
  workloads: WorkloadName[];
  rounds: number;
  /** How long each load lasts. */
  seconds: number;
  warmUpSeconds: number;
  /** Folder for the JSON and the chart; nothing is written without one. */
  output: string | undefined;
}

const HELP = `npm run bench -- [options]

  --peers ${peerNames.join(',')}   which of them
  --workloads ${workloadNames.join(',')}                  R reads, M tracking, P polling, F several in one query, L list
  --rounds 3      rounds, of which the medians count
  --seconds 3     length of each load; that at half of the peak lasts three times as long
  --output FOLDER where benchmark.json, .md and .svg go; test/bench/results unless the run is quick
  --quick         one round of loads of one second: a look, and no measurement`;

/** Prints the help, or what is wrong, and ends the process where there is nothing to run. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      peers: { type: 'string', default: peerNames.join(',') },
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
  return {
    peers: chosen('peers', values.peers, peerNames),
    workloads: chosen('workloads', values.workloads, workloadNames),
    rounds: positive('rounds', values.rounds ?? (quick ? '1' : '3')),
    seconds: positive('seconds', values.seconds ?? (quick ? '1' : '3')),
    warmUpSeconds: quick ? 1 : 3,
    output: values.output ?? (quick ? undefined : fileURLToPath(new URL('results', import.meta.url))),
  };
}

function chosen<Name extends string>(option: string, text: string, names: readonly Name[]): Name[] {
  const wanted = text.split(',');
  const unknown = wanted.filter((name) => !(names as readonly string[]).includes(name));
  if (unknown.length > 0) fail(`--${option}: expected some of ${names.join(',')}, got ${unknown.join(',')}`);
  return names.filter((name) => wanted.includes(name));
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
