/** One round with one peer: starts a fresh process, verifies its responses, then runs every workload. */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { envelopeOf, fieldsOf, GUIDS, LIST_LENGTH, recordOf, type NotificationFields } from './fixtures.js';
import { startProgram } from './gatewayProcess.js';
import { percentile, runLoad, type LoadOptions } from './load.js';
import { headers, keyHeader, requestOf } from './loadClient.js';
import type { Operation } from './operations.js';
import type { Peer } from './peers.js';

export const workloadNames = ['R', 'M', 'P', 'L', 'F', 'B'] as const;
export type WorkloadName = (typeof workloadNames)[number];

/** Connections of the workloads R, M and P. */
export const CONNECTIONS = [32, 128] as const;

/** Notifications per query of workload F. */
export const SIZES = [1, 50] as const;

/** Tracking calls of workload B. */
export const BULK_SIZE = 100;

/** Before the first load of a process, of a workload, and before any other: V8 takes up to six seconds to optimize. */
const WARM_UP_SECONDS = { process: 6, workload: 3, load: 1 } as const;

/**
 * Factor for the duration of the run at half the peak rate. When the load first drops, Node closes connections that
 * have become idle; in a short run that pause would distort the percentiles.
 */
const HALF_PEAK_FACTOR = 3;

/** Measured values by name, such as `R32.perSecond`. */
export type Figures = Record<string, number>;

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

/** Throws if the peer does not start, or responds wrongly, alone or under load. */
export async function measureRound(peer: Peer, options: RoundOptions): Promise<Figures> {
  const { dialect, hasKeys = false } = peer;
  const verify = ({ expected }: Call, body: string) => {
    const { data, errors } = JSON.parse(body) as { data?: unknown; errors?: unknown };
    if (errors === undefined && isDeepStrictEqual(dialect.parseResult(data), expected)) return;
    throw new Error(`Expected ${JSON.stringify(expected).slice(0, 400)}, got ${body.slice(0, 400)}`);
  };
  /** Returns the length of the response. */
  const check = async (port: number, call: Call) => {
    const { status, text } = await post(port, call.operation);
    if (status !== 200) throw new Error(`Expected status 200, got ${status} with ${text.slice(0, 400)}`);
    verify(call, text);
    return Buffer.byteLength(text);
  };
  const reads = GUIDS.map((guid) => ({ operation: dialect.read(guid), expected: [fieldsOf(guid)] }));
  const [read] = reads as [Call];

  const program = await startProgram({
    command: peer.command,
    folder: options.folder,
    logFile: join(options.folder, `${peer.name}.log`),
    isReady: (port) => check(port, read),
  });
  try {
    const { port } = program;
    const figures: Figures = { coldStartMs: program.coldStartMs, idleBytes: program.residentBytes() };
    let warmUpSeconds: number = WARM_UP_SECONDS.process;

    const load = async (calls: readonly Call[], settings: LoadSettings) => {
      const requests = calls.map(({ operation }) =>
        requestOf('POST', '/graphql', JSON.stringify(operation), hasKeys ? keyHeader : {}),
      );
      const bodyBytes = await check(port, calls[0] as Call);
      const result = await runLoad({ port, requests, hasKeys, bodyBytes, ...settings });
      for (const { request, body } of result.samples) verify(calls[request] as Call, body);
      return result;
    };
    const measure = async (name: string, calls: readonly Call[], connections: number) => {
      await load(calls, { connections, seconds: warmUpSeconds });
      warmUpSeconds = WARM_UP_SECONDS.load;
      const cpuBefore = program.cpuSeconds();
      const { responses, seconds, latenciesMs } = await load(calls, {
        connections,
        seconds: options.seconds,
      });
      const cpuSeconds = program.cpuSeconds() - cpuBefore;
      figures[`${name}.perSecond`] = responses / seconds;
      figures[`${name}.cpuMicroseconds`] = (cpuSeconds / responses) * 1e6;
      // Well below 1, something other than the gateway was the bottleneck.
      figures[`${name}.coreShare`] = cpuSeconds / seconds;
      figures[`${name}.p50`] = percentile(latenciesMs, 0.5);
      figures[`${name}.p99`] = percentile(latenciesMs, 0.99);
    };
    const measureAtConnections = async (name: string, calls: readonly Call[]) => {
      for (const connections of CONNECTIONS) await measure(`${name}${connections}`, calls, connections);
    };

    const workloads: Record<WorkloadName, () => Promise<void>> = {
      async R() {
        await measureAtConnections('R', reads);
        const { latenciesMs } = await load(reads, {
          connections: 128,
          perSecond: (figures['R32.perSecond'] ?? NaN) / 2,
          seconds: HALF_PEAK_FACTOR * options.seconds,
        });
        figures['R.p50AtHalf'] = percentile(latenciesMs, 0.5);
        figures['R.p99AtHalf'] = percentile(latenciesMs, 0.99);
      },
      M: () => measureAtConnections('M', [{ operation: dialect.track(), expected: true }]),
      P: () => measureAtConnections('P', [read]),
      async L() {
        const expected = GUIDS.slice(0, LIST_LENGTH).map(fieldsOf);
        await measure('L', [{ operation: dialect.list(), expected }], 4);
      },
      async F() {
        for (const size of SIZES) {
          const guids = GUIDS.slice(0, size);
          const call = { operation: dialect.readAll(guids), expected: guids.map(fieldsOf) };
          const callsBefore = await callCount(options.upstreamUrl);
          await check(port, call);
          figures[`F${size}.calls`] = (await callCount(options.upstreamUrl)) - callsBefore;
          await measure(`F${size}`, [call], 1);
        }
      },
      async B() {
        if (!dialect.slow) return;
        const { bulk, aliased } = dialect.slow;
        await measure('B', [{ operation: bulk(BULK_SIZE), expected: true }], 1);
        if (peer.name === 'bare' || hasKeys) return; // bare knows no aliases, and a key is for one field
        await measure('BAliased', [{ operation: aliased(BULK_SIZE), expected: true }], 1);
      },
    };
    for (const name of options.workloads) {
      warmUpSeconds = Math.max(warmUpSeconds, WARM_UP_SECONDS.workload);
      await workloads[name]();
    }
    figures['loadedBytes'] = program.residentBytes();
    return figures;
  } finally {
    await program.stop();
  }
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
