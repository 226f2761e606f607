/** The results as Markdown tables, which read well as they are. */
import { LIST_LENGTH } from './fixtures.js';
import { SIZES, type Figures } from './measure.js';
import type { Peer } from './peers.js';

export interface Results {
  date: string;
  machine: string;
  /** Of the last minute, before and after: what else the machine had to do. */
  loadAverage: [number, number];
  rounds: number;
  seconds: number;
  /** What a notification of a list takes at the least. */
  parseBaselineMicroseconds: number;
  /** What load and REST service reach without a gateway. */
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
    ['Requests a second', loads.map(rate)],
    ['Our requests a second, as a multiple of theirs', loads.map(ratio)],
    [
      'Latency at full load, p50 / p99 in ms; of R at half of the peer’s own peak, too, for three times as long',
      [
        ...loads.map(latency),
        column('R at half', (figures) => `${ms(figures['R.p50AtHalf'])} / ${ms(figures['R.p99AtHalf'])}`),
      ],
    ],
    [
      'One query for several notifications: ms (REST calls)',
      [
        ...SIZES.map((size) =>
          column(
            `${size}`,
            (figures) => `${ms(figures[`F${size}.p50`])} (${whole(figures[`F${size}.calls`])})`,
          ),
        ),
        column('50 to 1', (figures) => times(figures['F50.p50'], figures['F1.p50'])),
      ],
    ],
    ['Processor’s time of a request in µs (share of the core)', loads.map(cpu)],
    ['Their processor’s time of a request, as a multiple of ours', loads.map(cpuRatio)],
    [
      'Process',
      [
        column('first answer after', (figures) => `${whole(figures['coldStartMs'])} ms`),
        column('memory idle', (figures) => megabytes(figures['idleBytes'])),
        column('after load', (figures) => megabytes(figures['loadedBytes'])),
      ],
    ],
  ];
  const parts = sections
    .map(([title, columns]) => [title, columnsInUse(results, columns)] as const)
    .filter(([, columns]) => columns.length > 0)
    .map(([title, columns]) => `${title}:\n\n${table(results, columns)}`);
  const versions = peers.map(({ title, version, runtime }) => `- ${title} ${version} (${runtime})`);
  return [
    `${date}, ${machine}, load average ${loadAverage.map((load) => load.toFixed(1)).join(' before, ')} after; ${rounds === 1 ? 'one round' : `medians of ${rounds} rounds`} of ${seconds} s.`,
    ...parts,
    listLine(ours?.['L.cpuMicroseconds'], parseBaselineMicroseconds),
    `Load and REST service reach ${perSecond(capacityPerSecond)} requests a second without a gateway.`,
    versions.join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function listLine(cpuMicroseconds: number | undefined, parseBaselineMicroseconds: number): string {
  if (cpuMicroseconds === undefined) return '';
  return `A notification of L takes ${micro(cpuMicroseconds / LIST_LENGTH)} of the processor’s time here, and ${micro(parseBaselineMicroseconds)} where it is only parsed, held against the contract, and written.`;
}

function column(title: string, of: Column['of']): Column {
  return { title, of };
}

/** Workloads that were not run have none. */
function columnsInUse({ peers }: Results, columns: readonly Column[]): Column[] {
  return columns.filter(({ of }) => peers.some(({ figures }) => /\d/.test(of(figures))));
}

function table({ peers }: Results, shown: readonly Column[]): string {
  const rows = [
    ['', ...shown.map(({ title }) => title)],
    ['---', ...shown.map(() => '---:')],
    ...peers.map(({ title, figures }) => [title, ...shown.map(({ of }) => of(figures))]),
  ];
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const written = (write: (value: number) => string) => (value: number | undefined) =>
  value === undefined || Number.isNaN(value) ? '–' : write(value);
const whole = written((value) => Math.round(value).toLocaleString('en'));
const perSecond = written((value) => (value < 100 ? value.toFixed(1) : whole(value)));
const ms = written((value) => value.toFixed(2));
const micro = written((value) => `${value.toFixed(2)} µs`);
const percent = written((value) => `${Math.round(value * 100)} %`);
const megabytes = written((value) => `${Math.round(value / 1e6)} MB`);

function times(value: number | undefined, other: number | undefined): string {
  return written((quotient) => `${quotient.toFixed(2)} ×`)((value ?? NaN) / (other ?? NaN));
}
