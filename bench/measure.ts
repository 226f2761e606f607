/** One round with one peer: starts a fresh process, verifies its responses, then runs every workload. */
import { deepStrictEqual } from 'node:assert';
import { join } from 'node:path';
import { headers, keyHeader, requestOf } from './loadClient.js';
import { fieldsOf, GUIDS, LIST_LENGTH } from './fixtures.js';
import { startProgram, type Program } from './gatewayProcess.js';
import { percentile, runLoad } from './load.js';
import type { Operation } from './operations.js';
import type { Peer } from './peers.js';

export const workloadNames = ['R', 'M', 'P', 'F', 'L', 'B'] as const;
export type WorkloadName = (typeof workloadNames)[number];

/** Notifications per query of workload F. */
export const SIZES = [1, 10, 50] as const;

/** Tracking calls of workload B. */
export const BULK_SIZE = 100;

/** Factor for the first warm-up of a workload, during which most of its code is compiled. */
const FIRST_WARM_UP_FACTOR = 3;

/**
 * Factor for the duration of the run at half the peak rate. When the load first drops, Node closes connections that
 * have become idle; in a short run that pause would distort the percentiles.
 */
const HALF_PEAK_FACTOR = 3;

/** Measured values by name, such as `R.perSecond`. */
export type Figures = Record<string, number>;

export interface RoundOptions {
  workloads: readonly WorkloadName[];
  /** Duration of each load, in seconds. */
  seconds: number;
  warmUpSeconds: number;
  upstreamUrl: string;
  folder: string;
}

export async function measureRound(peer: Peer, options: RoundOptions): Promise<Figures> {
  const { dialect, hasKeys = false } = peer;
  const check = async (port: number, operation: Operation, expected: unknown) => {
    const { status, text } = await post(port, operation);
    const { data, errors } = JSON.parse(text) as { data?: unknown; errors?: unknown };
    if (status !== 200 || errors !== undefined)
      throw new Error(`${peer.title} responded with ${status}: ${text}`);
    deepStrictEqual(dialect.parseResult(data), expected, `${peer.title} returned other data than expected`);
    return Buffer.byteLength(text);
  };

  const [guid = ''] = GUIDS;
  const program = await startProgram({
    command: peer.command,
    folder: options.folder,
    logFile: join(options.folder, `${peer.name}.log`),
    isReady: (port) => check(port, dialect.read(guid), [fieldsOf(guid)]),
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
        requestOf('POST', '/graphql', JSON.stringify(operation), hasKeys ? keyHeader : {}),
      );
      await runLoad({ port, requests, bodyBytes, connections, hasKeys, seconds: warmUpSeconds });
      warmUpSeconds = options.warmUpSeconds;
      const { seconds } = options;
      const peak = await underLoad(program, { port, requests, bodyBytes, connections, hasKeys, seconds });
      for (const [figure, value] of Object.entries(peak)) figures[`${name}.${figure}`] = value;
      return (perSecond: number) =>
        runLoad({
          port,
          requests,
          bodyBytes,
          connections: 4 * connections,
          hasKeys,
          seconds: HALF_PEAK_FACTOR * seconds,
          perSecond,
        });
    };

    const workloads: Record<WorkloadName, () => Promise<void>> = {
      async R() {
        const bodyBytes = await check(port, dialect.read(guid), [fieldsOf(guid)]);
        const loadAt = await load('R', GUIDS.map(dialect.read), bodyBytes, 32);
        const { latenciesMs } = await loadAt((figures['R.perSecond'] ?? NaN) / 2);
        figures['R.p50AtHalf'] = percentile(latenciesMs, 0.5);
        figures['R.p99AtHalf'] = percentile(latenciesMs, 0.99);
      },
      async M() {
        await load('M', [dialect.track()], await check(port, dialect.track(), true), 32);
      },
      async P() {
        await load('P', [dialect.read(guid)], await check(port, dialect.read(guid), [fieldsOf(guid)]), 32);
      },
      async F() {
        for (const size of SIZES) {
          const guids = GUIDS.slice(0, size);
          const operation = dialect.readAll(guids);
          const callsBefore = await callCount(options.upstreamUrl);
          const bodyBytes = await check(port, operation, guids.map(fieldsOf));
          figures[`F${size}.calls`] = (await callCount(options.upstreamUrl)) - callsBefore;
          await load(`F${size}`, [operation], bodyBytes, 1);
        }
      },
      async L() {
        const fields = GUIDS.slice(0, LIST_LENGTH).map(fieldsOf);
        await load('L', [dialect.list()], await check(port, dialect.list(), fields), 4);
      },
      async B() {
        if (!dialect.slow) return;
        const { bulk, aliased, one } = dialect.slow;
        const measure = async (name: string, operation: Operation, connections: number) =>
          load(name, [operation], await check(port, operation, true), connections);
        await measure('B', bulk(BULK_SIZE), 1);
        if (peer.name === 'bare') return; // it knows no aliases
        await measure('BAliased', aliased(BULK_SIZE), 1);
        await measure('B6', one(), 6);
        await measure('B100', one(), BULK_SIZE);
      },
    };
    for (const name of options.workloads) {
      warmUpSeconds = FIRST_WARM_UP_FACTOR * options.warmUpSeconds;
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
  const { responses, seconds, latenciesMs } = await runLoad(options);
  const cpuSeconds = program.cpuSeconds() - cpuBefore;
  return {
    perSecond: responses / seconds,
    p50: percentile(latenciesMs, 0.5),
    p99: percentile(latenciesMs, 0.99),
    cpuMicroseconds: (cpuSeconds / responses) * 1e6,
    /** Share of its core that the gateway used; well below 1, something else was the bottleneck. */
    coreShare: cpuSeconds / seconds,
  };
}

/** Times out after 10 s. */
async function post(port: number, operation: Operation): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify(operation),
    signal: AbortSignal.timeout(10_000),
  });
  return { status: response.status, text: await response.text() };
}

async function callCount(upstreamUrl: string): Promise<number> {
  const response = await fetch(`${upstreamUrl}/calls`);
  return (await response.json()) as number;
}
