/** One round: starts a fresh process of each peer, verifies its responses, then runs every workload, in turns. */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { envelopeOf, fieldsOf, GUIDS, LIST_LENGTH, recordOf, type NotificationFields } from './fixtures.js';
import { startProgram, type Program } from './gatewayProcess.js';
import { percentile, runLoad, type LoadOptions, type LoadResult } from './load.js';
import { headers, keyHeader, requestOf } from './loadClient.js';
import type { Operation } from './operations.js';
import type { Peer } from './peers.js';

export const workloadNames = ['R', 'M', 'P', 'L', 'F', 'B'] as const;
export type WorkloadName = (typeof workloadNames)[number];

/** Connections of the workloads R, M and P. */
export const CONNECTIONS = [32, 128] as const;

/** Notifications per query of workload F. */
export const SIZES = [1, 50] as const;

/** Tracking calls of workload B: as many as a mutation may have fields. */
export const BULK_SIZE = 10;

/** Before the first load of a process, of a workload, and before any other: V8 takes up to six seconds to optimize. */
const WARM_UP_SECONDS = { process: 6, workload: 3, load: 1 } as const;

/**
 * Factor for the duration of the run at half the peak rate. When the load first drops, Node closes connections that
 * have become idle; in a short run that pause would distort the percentiles.
 */
const HALF_PEAK_FACTOR = 3;

/** Measured values by name, such as `R32.perSecond`. */
export type Figures = Record<string, number>;

/**
 * Duration of a slice in seconds: the peers take turns after each one. On a shared machine the speed of a core changes by a third
 * within minutes, which peers that are measured one after the other would turn into a difference between them.
 */
const SLICE_SECONDS = 1;

export interface RoundOptions {
  workloads: readonly WorkloadName[];
  /** Duration of each load, in seconds. */
  seconds: number;
  upstreamUrl: string;
  folder: string;
}

type LoadSettings = Pick<LoadOptions, 'connections' | 'perSecond' | 'seconds'>;

/** An operation, and the result that it must have. */
interface Call {
  operation: Operation;
  expected: NotificationFields[] | boolean;
}

/** What a peer is asked in a workload; undefined if it is not part of it. */
type CallsOf = (peer: Peer) => readonly Call[] | undefined;

/** One round with fresh processes of all peers: what each was measured at, or why it is out. */
export async function measureRound(
  peers: readonly Peer[],
  options: RoundOptions,
): Promise<Map<Peer, Figures | Error>> {
  const results = new Map<Peer, Figures | Error>();
  const runs: Run[] = [];
  /** Runs a step for the peers that are not out. */
  const forEach = async (step: (run: Run) => Promise<void>, order: readonly Run[] = runs) => {
    for (const run of order) {
      if (results.has(run.peer)) continue;
      await step(run).catch((error: unknown) => results.set(run.peer, error as Error));
    }
  };
  let warmUpSeconds: number = WARM_UP_SECONDS.process;

  const measure = async (name: string, callsOf: CallsOf, connections: number) => {
    const seconds = warmUpSeconds;
    warmUpSeconds = WARM_UP_SECONDS.load;
    const taking = runs.filter(({ peer }) => callsOf(peer) !== undefined);
    const load = (run: Run, duration: number) =>
      run.load(callsOf(run.peer) ?? [], { connections, seconds: duration });
    await forEach(async (run) => {
      await load(run, seconds);
    }, taking);
    const slices = Math.max(1, Math.round(options.seconds / SLICE_SECONDS));
    const measured = new Map(taking.map((run) => [run, [] as Slice[]]));
    for (let slice = 0; slice < slices; slice += 1) {
      const first = slice % Math.max(1, taking.length);
      await forEach(
        async (run) => {
          const cpuBefore = run.program.cpuSeconds();
          const result = await load(run, options.seconds / slices);
          measured.get(run)?.push({ ...result, cpuSeconds: run.program.cpuSeconds() - cpuBefore });
        },
        [...taking.slice(first), ...taking.slice(0, first)],
      );
    }
    for (const [run, each] of measured) Object.assign(run.figures, figuresOf(name, each));
  };

  const readsOf: CallsOf = ({ dialect }) =>
    GUIDS.map((guid) => ({ operation: dialect.read(guid), expected: [fieldsOf(guid)] }));
  const measureAtConnections = async (name: string, callsOf: CallsOf) => {
    for (const connections of CONNECTIONS) await measure(`${name}${connections}`, callsOf, connections);
  };
  const workloads: Record<WorkloadName, () => Promise<void>> = {
    async R() {
      await measureAtConnections('R', readsOf);
      await forEach(async (run) => {
        const { peer, figures } = run;
        const { latenciesMs } = await run.load(readsOf(peer) ?? [], {
          connections: 128,
          perSecond: (figures['R32.perSecond'] ?? NaN) / 2,
          seconds: HALF_PEAK_FACTOR * options.seconds,
        });
        figures['R.p50AtHalf'] = percentile(latenciesMs, 0.5);
        figures['R.p99AtHalf'] = percentile(latenciesMs, 0.99);
      });
    },
    M: () => measureAtConnections('M', ({ dialect }) => [{ operation: dialect.track(), expected: true }]),
    P: () => measureAtConnections('P', (peer) => readsOf(peer)?.slice(0, 1)),
    async L() {
      const expected = GUIDS.slice(0, LIST_LENGTH).map(fieldsOf);
      await measure('L', ({ dialect }) => [{ operation: dialect.list(), expected }], 4);
    },
    async F() {
      for (const size of SIZES) {
        const guids = GUIDS.slice(0, size);
        const callOf = ({ dialect }: Peer): Call => ({
          operation: dialect.readAll(guids),
          expected: guids.map(fieldsOf),
        });
        await forEach(async (run) => {
          const callsBefore = await callCount(options.upstreamUrl);
          await run.check(callOf(run.peer));
          run.figures[`F${size}.calls`] = (await callCount(options.upstreamUrl)) - callsBefore;
        });
        await measure(`F${size}`, (peer) => [callOf(peer)], 1);
      }
    },
    async B() {
      const callOf = (operation: Operation | undefined) => operation && [{ operation, expected: true }];
      await measure('B', ({ dialect: { slow } }) => callOf(slow?.bulk(BULK_SIZE)), 1);
      // bare knows no aliases, and a key is for one field
      const hasAliases = ({ name, hasKeys = false }: Peer) => name !== 'bare' && !hasKeys;
      const aliased: CallsOf = (peer) =>
        hasAliases(peer) ? callOf(peer.dialect.slow?.aliased(BULK_SIZE)) : undefined;
      await measure('BAliased', aliased, 1);
    },
  };

  try {
    for (const peer of peers) {
      const started = await startRun(peer, readsOf(peer)?.[0] as Call, options.folder).catch(
        (error: unknown) => error as Error,
      );
      if (started instanceof Error) results.set(peer, started);
      else runs.push(started);
    }
    for (const name of options.workloads) {
      warmUpSeconds = Math.max(warmUpSeconds, WARM_UP_SECONDS.workload);
      await workloads[name]();
    }
    for (const { peer, figures, program } of runs)
      if (!results.has(peer)) results.set(peer, { ...figures, loadedBytes: program.residentBytes() });
    return results;
  } finally {
    for (const { program } of runs) await program.stop();
  }
}

/** A peer in its own process. */
interface Run {
  peer: Peer;
  program: Program;
  figures: Figures;
  /** Returns the length of the response. Rejects if it is wrong. */
  check(call: Call): Promise<number>;
  /** Rejects if a response under load is wrong. */
  load(calls: readonly Call[], settings: LoadSettings): Promise<LoadResult>;
}

async function startRun(peer: Peer, read: Call, folder: string): Promise<Run> {
  const { dialect, hasKeys = false } = peer;
  const verify = ({ expected }: Call, body: string) => {
    const { data, errors } = JSON.parse(body) as { data?: unknown; errors?: unknown };
    if (errors === undefined && isDeepStrictEqual(dialect.parseResult(data), expected)) return;
    throw new Error(`Expected ${JSON.stringify(expected).slice(0, 400)}, got ${body.slice(0, 400)}`);
  };
  const checkAt = async (port: number, call: Call) => {
    const { status, text } = await post(port, call.operation);
    if (status !== 200) throw new Error(`Expected status 200, got ${status} with ${text.slice(0, 400)}`);
    verify(call, text);
    return Buffer.byteLength(text);
  };
  const program = await startProgram({
    command: peer.command,
    folder,
    logFile: join(folder, `${peer.name}.log`),
    isReady: (port) => checkAt(port, read),
  });
  const { port, coldStartMs } = program;
  const check = (call: Call) => checkAt(port, call);
  return {
    peer,
    program,
    figures: { coldStartMs, idleBytes: program.residentBytes() },
    check,
    async load(calls, settings) {
      const requests = calls.map(({ operation }) =>
        requestOf('POST', '/graphql', JSON.stringify(operation), hasKeys ? keyHeader : {}),
      );
      const bodyBytes = await check(calls[0] as Call);
      const result = await runLoad({ port, requests, hasKeys, bodyBytes, ...settings });
      for (const { request, body } of result.samples) verify(calls[request] as Call, body);
      return result;
    },
  };
}

type Slice = LoadResult & { cpuSeconds: number };

function figuresOf(name: string, slices: readonly Slice[]): Figures {
  const total = (of: (slice: Slice) => number) => slices.reduce((sum, slice) => sum + of(slice), 0);
  const responses = total((slice) => slice.responses);
  const seconds = total((slice) => slice.seconds);
  const cpuSeconds = total((slice) => slice.cpuSeconds);
  const latenciesMs = slices.flatMap((slice) => slice.latenciesMs).sort((a, b) => a - b);
  return {
    [`${name}.perSecond`]: responses / seconds,
    [`${name}.cpuMicroseconds`]: (cpuSeconds / responses) * 1e6,
    // Well below 1, something other than the gateway was the bottleneck.
    [`${name}.coreShare`]: cpuSeconds / seconds,
    [`${name}.p50`]: percentile(latenciesMs, 0.5),
    [`${name}.p99`]: percentile(latenciesMs, 0.99),
  };
}

/**
 * Requests per second that the load generator and the REST service reach without a gateway. They limit a gateway that
 * comes close.
 */
export async function measureCapacity(upstreamUrl: string, seconds: number): Promise<number> {
  const [guid = ''] = GUIDS;
  const load = (duration: number) =>
    runLoad({
      port: Number(new URL(upstreamUrl).port),
      connections: 32,
      requests: GUIDS.map((each) => requestOf('GET', `/v1/customnotifications/${each}`)),
      bodyBytes: Buffer.byteLength(JSON.stringify(envelopeOf([recordOf(guid)]))),
      seconds: duration,
    });
  await load(WARM_UP_SECONDS.load);
  const result = await load(seconds);
  return result.responses / result.seconds;
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
