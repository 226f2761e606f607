/** Renders the results as Markdown tables. */
import { LIST_LENGTH } from './fixtures.js';
import { BULK_SIZE, SIZES, type Figures } from './measure.js';
import type { Peer } from './peers.js';

export interface Results {
  date: string;
  machine: string;
  /** One-minute load average before and after the run, which reveals other work on the machine. */
  loadAverage: [number, number];
  rounds: number;
  seconds: number;
  /** CPU time to parse, validate and serialize one notification: a lower bound for lists. */
  parseBaselineMicroseconds: number;
  /** Throughput of the load generator and the REST service without a gateway. */
  capacityPerSecond: number;
  peers: (Pick<Peer, 'name' | 'title' | 'version' | 'runtime'> & { figures: Figures; rounds: Figures[] })[];
}

interface Column {
  title: string;
  of: (figures: Figures) => string;
}

export function tables(results: Results): string {
  const { machine, date, loadAverage, rounds, seconds, parseBaselineMicroseconds, capacityPerSecond, peers } =
    results;
  const ours = peers.find(({ name }) => name === 'ours')?.figures;
  const rate = (name: string) => column(name, (figures) => perSecond(figures[`${name}.perSecond`]));
  const ratio = (name: string) =>
    column(name, (figures) => times(ours?.[`${name}.perSecond`], figures[`${name}.perSecond`]));
  const cpuRatio = (name: string) =>
    column(name, (figures) => times(figures[`${name}.cpuMicroseconds`], ours?.[`${name}.cpuMicroseconds`]));
  const latency = (name: string) =>
    column(name, (figures) => `${ms(figures[`${name}.p50`])} / ${ms(figures[`${name}.p99`])}`);
  const cpu = (name: string) =>
    column(
      name,
      (figures) => `${whole(figures[`${name}.cpuMicroseconds`])} (${percent(figures[`${name}.coreShare`])})`,
    );
  const loads = ['R', 'M', 'P', 'L'];

  const sections: [string, Column[]][] = [
    ['Requests per second', loads.map(rate)],
    ['Throughput of this gateway relative to each peer', loads.map(ratio)],
    [
      'Latency, p50 / p99 in ms, at full load; for R also at half of each peer’s own peak rate, measured three times as long',
      [
        ...loads.map(latency),
        column(
          'R at half peak',
          (figures) => `${ms(figures['R.p50AtHalf'])} / ${ms(figures['R.p99AtHalf'])}`,
        ),
      ],
    ],
    [
      'One query for several notifications, p50 in ms (REST calls)',
      [
        ...SIZES.map((size) =>
          column(
            `${size}`,
            (figures) => `${ms(figures[`F${size}.p50`])} (${whole(figures[`F${size}.calls`])})`,
          ),
        ),
        column('50 vs. 1', (figures) => times(figures['F50.p50'], figures['F1.p50'])),
      ],
    ],
    [
      `${BULK_SIZE} tracking calls that take the REST service 20 ms each, in ms`,
      [
        column('one bulk field', (figures) => ms(figures['B.p50'])),
        column('aliased fields', (figures) => ms(figures['BAliased.p50'])),
        column('requests, six at a time', (figures) =>
          ms((BULK_SIZE * 1000) / (figures['B6.perSecond'] ?? NaN)),
        ),
        column('requests, all at once', (figures) =>
          ms((BULK_SIZE * 1000) / (figures['B100.perSecond'] ?? NaN)),
        ),
      ],
    ],
    ['CPU time per request in µs (core utilization)', loads.map(cpu)],
    ['CPU time per request of each peer relative to this gateway', loads.map(cpuRatio)],
    [
      'Process',
      [
        column('time to first response', (figures) => `${whole(figures['coldStartMs'])} ms`),
        column('idle memory', (figures) => megabytes(figures['idleBytes'])),
        column('memory after load', (figures) => megabytes(figures['loadedBytes'])),
      ],
    ],
  ];
  const parts = sections
    .map(([title, columns]) => [title, columnsInUse(results, columns)] as const)
    .filter(([, columns]) => columns.length > 0)
    .map(([title, columns]) => `${title}:\n\n${table(results, columns)}`);
  const versions = peers.map(({ title, version, runtime }) => `- ${title} ${version} (${runtime})`);
  return [
    `${date}, ${machine}, load average ${loadAverage.map((load) => load.toFixed(1)).join(' before and ')} after; ${rounds === 1 ? 'one round' : `medians of ${rounds} rounds`} of ${seconds} s.`,
    ...parts,
    listLine(ours?.['L.cpuMicroseconds'], parseBaselineMicroseconds),
    `Without a gateway, the load generator and the REST service reach ${perSecond(capacityPerSecond)} requests per second.`,
    versions.join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function listLine(cpuMicroseconds: number | undefined, parseBaselineMicroseconds: number): string {
  if (cpuMicroseconds === undefined) return '';
  return `In L, this gateway uses ${micro(cpuMicroseconds / LIST_LENGTH)} of CPU time per notification; parsing, validating and serializing it alone takes ${micro(parseBaselineMicroseconds)}.`;
}

function column(title: string, of: Column['of']): Column {
  return { title, of };
}

/** Drops the columns of workloads that were not run. */
function columnsInUse({ peers }: Results, columns: readonly Column[]): Column[] {
  return columns.filter(({ of }) => peers.some(({ figures }) => /\d/.test(of(figures))));
}

function table({ peers }: Results, columns: readonly Column[]): string {
  const rows = [
    ['', ...columns.map(({ title }) => title)],
    ['---', ...columns.map(() => '---:')],
    ...peers.map(({ title, figures }) => [title, ...columns.map(({ of }) => of(figures))]),
  ];
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const formatted = (format: (value: number) => string) => (value: number | undefined) =>
  value === undefined || Number.isNaN(value) ? '–' : format(value);
const whole = formatted((value) => Math.round(value).toLocaleString('en'));
const perSecond = formatted((value) => (value < 100 ? value.toFixed(1) : whole(value)));
const ms = formatted((value) => value.toFixed(2));
const micro = formatted((value) => `${value.toFixed(2)} µs`);
const percent = formatted((value) => `${Math.round(value * 100)} %`);
const megabytes = formatted((value) => `${Math.round(value / 1e6)} MB`);

function times(value: number | undefined, other: number | undefined): string {
  return formatted((quotient) => `${quotient.toFixed(2)} ×`)((value ?? NaN) / (other ?? NaN));
}
