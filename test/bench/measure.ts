/** One round with one peer: a fresh process, its answers checked, then every workload. */
import { deepStrictEqual } from 'node:assert';
import { join } from 'node:path';
import { headers, requestOf } from './loadClient.js';
import { factsOf, GUIDS, LIST_LENGTH } from './fixtures.js';
import { startProgram, type Program } from './gatewayProcess.js';
import { percentile, runLoad } from './load.js';
import type { Operation } from './operations.js';
import type { Peer } from './peers.js';

export const workloadNames = ['R', 'M', 'P', 'F', 'L'] as const;
export type WorkloadName = (typeof workloadNames)[number];

/** Guids in one query of workload F. */
export const SIZES = [1, 10, 50] as const;

/** The first load of a workload warms up so many times as long as the others: most of its code is compiled then. */
const FIRST_WARM_UP = 3;

/**
 * Load at half of the peak lasts so many times as long as the others. When load falls for the first time, a process of
 * Node closes connections that are idle by then, which is a pause that would weigh by chance in a short one.
 */
const HALF_LOAD = 3;

/** Measured values by name, such as `R.perSecond`; those of several rounds have the same names. */
export type Figures = Record<string, number>;

export interface RoundOptions {
  workloads: readonly WorkloadName[];
  /** How long each load lasts, in seconds. */
  seconds: number;
  warmUpSeconds: number;
  upstreamUrl: string;
  folder: string;
}

export async function measureRound(peer: Peer, options: RoundOptions): Promise<Figures> {
  const { dialect } = peer;
  const check = async (port: number, operation: Operation, expected: unknown) => {
    const { status, text } = await post(port, operation);
    const { data, errors } = JSON.parse(text) as { data?: unknown; errors?: unknown };
    if (status !== 200 || errors !== undefined) throw new Error(`${peer.title} answered ${status}: ${text}`);
    deepStrictEqual(dialect.factsOf(data), expected, `${peer.title} answers something else`);
    return Buffer.byteLength(text);
  };

  const [guid = ''] = GUIDS;
  const program = await startProgram({
    command: peer.command,
    folder: options.folder,
    logFile: join(options.folder, `${peer.name}.log`),
    isReady: (port) => check(port, dialect.read(guid), [factsOf(guid)]),
  });
  try {
    const { port } = program;
    const figures: Figures = { coldStartMs: program.coldStartMs, idleBytes: program.residentBytes() };
    let warmUpSeconds = 0;
    const load = async (
      name: string,
      operations: readonly Operation[],
      bodyBytes: number,
      connections: number,
    ) => {
      const requests = operations.map((operation) =>
        requestOf('POST', '/graphql', JSON.stringify(operation)),
      );
      await runLoad({ port, requests, bodyBytes, connections, seconds: warmUpSeconds });
      warmUpSeconds = options.warmUpSeconds;
      const { seconds } = options;
      const peak = await underLoad(program, { port, requests, bodyBytes, connections, seconds });
      for (const [figure, value] of Object.entries(peak)) figures[`${name}.${figure}`] = value;
      return (perSecond: number) =>
        runLoad({
          port,
          requests,
          bodyBytes,
          connections: 4 * connections,
          seconds: HALF_LOAD * seconds,
          perSecond,
        });
    };

    const workloads: Record<WorkloadName, () => Promise<void>> = {
      async R() {
        const bodyBytes = await check(port, dialect.read(guid), [factsOf(guid)]);
        const loadAt = await load('R', GUIDS.map(dialect.read), bodyBytes, 32);
        const { latenciesMs } = await loadAt((figures['R.perSecond'] ?? NaN) / 2);
        figures['R.p50AtHalf'] = percentile(latenciesMs, 0.5);
        figures['R.p99AtHalf'] = percentile(latenciesMs, 0.99);
      },
      async M() {
        await load('M', [dialect.track()], await check(port, dialect.track(), true), 32);
      },
      async P() {
        await load('P', [dialect.read(guid)], await check(port, dialect.read(guid), [factsOf(guid)]), 32);
      },
      async F() {
        for (const size of SIZES) {
          const guids = GUIDS.slice(0, size);
          const operation = dialect.readAll(guids);
          const callsBefore = await callsOf(options.upstreamUrl);
          const bodyBytes = await check(port, operation, guids.map(factsOf));
          figures[`F${size}.calls`] = (await callsOf(options.upstreamUrl)) - callsBefore;
          await load(`F${size}`, [operation], bodyBytes, 1);
        }
      },
      async L() {
        const facts = GUIDS.slice(0, LIST_LENGTH).map(factsOf);
        await load('L', [dialect.list()], await check(port, dialect.list(), facts), 4);
      },
    };
    for (const name of options.workloads) {
      warmUpSeconds = FIRST_WARM_UP * options.warmUpSeconds;
      await workloads[name]();
    }
    figures['loadedBytes'] = program.residentBytes();
    return figures;
  } finally {
    await program.stop();
  }
}

async function underLoad(program: Program, options: Parameters<typeof runLoad>[0]) {
  const cpuBefore = program.cpuSeconds();
  const { answers, seconds, latenciesMs } = await runLoad(options);
  const cpuSeconds = program.cpuSeconds() - cpuBefore;
  return {
    perSecond: answers / seconds,
    p50: percentile(latenciesMs, 0.5),
    p99: percentile(latenciesMs, 0.99),
    cpuMicroseconds: (cpuSeconds / answers) * 1e6,
    /** Share of its core that the gateway had: well below 1, something else held it back. */
    coreShare: cpuSeconds / seconds,
  };
}

/** Gives up after ten seconds. */
async function post(port: number, operation: Operation): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify(operation),
    signal: AbortSignal.timeout(10_000),
  });
  return { status: response.status, text: await response.text() };
}

async function callsOf(upstreamUrl: string): Promise<number> {
  const response = await fetch(`${upstreamUrl}/calls`);
  return (await response.json()) as number;
}
