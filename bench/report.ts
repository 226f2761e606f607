/** Renders the results as Markdown tables. */
import { BULK_SIZE, CONNECTIONS, SIZES, type Figures } from './measure.js';
import type { Peer } from './peers.js';

export interface Results {
  date: string;
  machine: string;
  /** Version of Node.js, which runs all peers but Tailcall. */
  node: string;
  /** One-minute load average before and after the run, which reveals other work on the machine. */
  loadAverage: [number, number];
  seconds: number;
  /** Throughput of the load generator and the REST service without a gateway. */
  capacityPerSecond: number;
  peers: (Pick<Peer, 'name' | 'title' | 'versions'> & { rounds?: Figures[]; failure?: string })[];
}

export interface Measured {
  name: string;
  title: string;
  /** Medians of the rounds. */
  figures: Figures;
}

type Column = [title: string, of: (figures: Figures) => string];

export function tables(results: Results): string {
  const { machine, date, node, loadAverage, seconds, capacityPerSecond, peers } = results;
  const measured = measuredPeers(results);
  const ours = measured.find(({ name }) => name === 'ours')?.figures;
  const load = (name: string, suffix = ''): Column[] => [
    [`requests/s${suffix}`, (figures) => perSecond(figures[`${name}.perSecond`])],
    ['ours ÷ theirs', (figures) => times(ours?.[`${name}.perSecond`], figures[`${name}.perSecond`])],
    [
      'CPU µs (of the core)',
      (figures) => `${whole(figures[`${name}.cpuMicroseconds`])} (${percent(figures[`${name}.coreShare`])})`,
    ],
    ['p50 / p99 ms', (figures) => `${ms(figures[`${name}.p50`])} / ${ms(figures[`${name}.p99`])}`],
  ];
  const loads = (name: string) =>
    CONNECTIONS.flatMap((connections) => load(`${name}${connections}`, `, ${connections} connections`));

  const sections: [string, Column[]][] = [
    ['Reads of distinct notifications', loads('R')],
    ['Tracking calls', loads('M')],
    ['Polls of one notification by all clients', loads('P')],
    ['Lists of 1,000 notifications, 4 connections', load('L')],
    [
      'Queries for several notifications, one at a time: p50 in ms (REST calls), CPU in µs',
      SIZES.flatMap((size): Column[] => [
        [`${size}`, (figures) => `${ms(figures[`F${size}.p50`])} (${whole(figures[`F${size}.calls`])})`],
        ['CPU µs', (figures) => whole(figures[`F${size}.cpuMicroseconds`])],
      ]),
    ],
    [
      `${BULK_SIZE} tracking calls that take the REST service 20 ms each, in one operation: p50 in ms, CPU in µs`,
      [
        ['bulk field', (figures) => ms(figures['B.p50'])],
        ['CPU µs', (figures) => whole(figures['B.cpuMicroseconds'])],
        ['aliased fields', (figures) => ms(figures['BAliased.p50'])],
        ['CPU µs', (figures) => whole(figures['BAliased.cpuMicroseconds'])],
      ],
    ],
    [
      'Process; and reads at half of each peer’s own peak at 32 connections, from 128 connections',
      [
        ['first response after', (figures) => `${whole(figures['coldStartMs'])} ms`],
        ['memory idle', (figures) => megabytes(figures['idleBytes'])],
        ['memory after load', (figures) => megabytes(figures['loadedBytes'])],
        [
          'reads at half of the peak, p50 / p99 ms',
          (figures) => `${ms(figures['R.p50AtHalf'])} / ${ms(figures['R.p99AtHalf'])}`,
        ],
      ],
    ],
  ];
  const rounds = Math.max(...peers.map((peer) => peer.rounds?.length ?? 0));
  return [
    `${date}, ${machine}, Node ${node}, load average ${loadAverage.map((average) => average.toFixed(1)).join(' before and ')} after; ${rounds === 1 ? 'one round' : `medians of ${rounds} rounds`} of ${seconds} s per load.`,
    ...sections
      .map(([title, columns]) => [title, columnsInUse(measured, columns)] as const)
      .filter(([, columns]) => columns.length > 0)
      .map(([title, columns]) => `${title}:\n\n${table(measured, columns)}`),
    `Without a gateway, the load generator and the REST service reach ${perSecond(capacityPerSecond)} requests per second.`,
    peers
      .map(({ title, versions, failure }) => `- ${title}: ${versions}${failure ? `. Out: ${failure}` : ''}`)
      .join('\n'),
  ].join('\n\n');
}

/** Those whose responses were right in every round. */
export function measuredPeers({ peers }: Results): Measured[] {
  return peers.flatMap(({ name, title, rounds = [] }) => {
    const names = Object.keys(rounds[0] ?? {});
    const medianOf = (figure: string) => median(rounds.map((figures) => figures[figure] ?? NaN));
    const figures = Object.fromEntries(names.map((figure) => [figure, medianOf(figure)]));
    return names.length === 0 ? [] : [{ name, title, figures }];
  });
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? NaN)
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

/** Drops the columns of workloads that were not run. */
function columnsInUse(peers: readonly Measured[], columns: readonly Column[]): Column[] {
  return columns.filter(([, of]) => peers.some(({ figures }) => /\d/.test(of(figures))));
}

function table(peers: readonly Measured[], columns: readonly Column[]): string {
  const rows = [
    ['', ...columns.map(([title]) => title)],
    ['---', ...columns.map(() => '---:')],
    ...peers.map(({ title, figures }) => [title, ...columns.map(([, of]) => of(figures))]),
  ];
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const formatted = (format: (value: number) => string) => (value: number | undefined) =>
  value === undefined || Number.isNaN(value) ? '–' : format(value);
const whole = formatted((value) => Math.round(value).toLocaleString('en'));
const perSecond = formatted((value) => (value < 100 ? value.toFixed(1) : whole(value)));
const ms = formatted((value) => value.toFixed(2));
const percent = formatted((value) => `${Math.round(value * 100)} %`);
const megabytes = formatted((value) => `${Math.round(value / 1e6)} MB`);

function times(value: number | undefined, other: number | undefined): string {
  return formatted((quotient) => `${quotient.toFixed(2)} ×`)((value ?? NaN) / (other ?? NaN));
}
