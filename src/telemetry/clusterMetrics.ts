/** Metrics of a cluster: the primary adds up those of its workers, and keeps what dead workers had counted. */
import cluster, { type Worker } from 'node:cluster';
import { EventEmitter, once } from 'node:events';
import { AggregatorRegistry, Counter, Gauge, Registry, type MetricObject } from 'prom-client';

/** Message from the primary to a worker, which replies with all of its metrics: first when it listens, then with each scrape. */
const METRICS_REQUEST = 'metrics';
/** Timeout in milliseconds for the replies of all workers: shorter than a scrape's, so that one that hangs fails no scrape. */
const RESPONSE_TIMEOUT_MS = 2000;
/**
 * How often workers send what they have counted, in milliseconds. A worker that is killed takes with it what it counted since.
 * Measured with 740 time series: 126 kB, 1.2 ms to build in the worker, 1.0 ms to parse in the primary.
 */
const PUSH_INTERVAL_MS = 1000;

/** Metrics as objects of JSON. */
type MetricValues = readonly object[];

/** Message from a worker to its primary. */
interface WorkerMetrics {
  type: typeof METRICS_REQUEST;
  /** Counters and histograms. */
  counted: MetricValues;
  /** The others; only in the reply to a request. */
  gauges?: MetricValues;
}

/**
 * Sends the metrics of this worker to its primary: all on request, counters at intervals from the first request on, and before
 * the worker exits. Nothing is sent to a primary that does not ask, such as that of a process manager.
 */
export function reportToPrimary(registry: Registry): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let sent = Promise.resolve();
  const report = (isReply: boolean) => {
    // One after the other, so that none is older than the one before.
    sent = sent.then(async () => {
      const gauges = isReply ? await valuesOf(registry, isGauge) : undefined;
      const counted = await valuesOf(registry, (metric) => !isGauge(metric));
      await send({ type: METRICS_REQUEST, counted, ...(gauges && { gauges }) });
    });
    return sent;
  };
  process.on('message', (message) => {
    if (message !== METRICS_REQUEST) return;
    timer ??= setInterval(() => void report(false), PUSH_INTERVAL_MS).unref();
    void report(true);
  });
  return {
    async stop() {
      if (timer === undefined) return;
      clearInterval(timer);
      await report(false);
    },
  };
}

/** The metrics of all workers. Call it before the first workers start. */
export function createClusterMetrics(initialWorkers: number): () => Promise<string> {
  /** What each worker has counted, by id. */
  const counted = new Map<number, MetricValues>();
  /** The sum of what dead workers had counted. */
  let countedByDead: MetricValues = [];
  const replies = new EventEmitter();
  const workers = trackWorkers();
  const own = createPrimaryMetrics(initialWorkers, () => workers.listening().length);

  cluster.on('listening', requestMetrics);
  cluster.on('message', (worker, message: Partial<WorkerMetrics> | undefined) => {
    if (message?.type !== METRICS_REQUEST || !message.counted) return;
    counted.set(worker.id, message.counted);
    if (message.gauges) replies.emit(String(worker.id), message.gauges);
  });
  const retire = (worker: Worker) => {
    const last = counted.get(worker.id);
    // Its last message may arrive after its exit, but not after the end of its channel.
    if (last === undefined || !worker.isDead() || worker.isConnected()) return;
    counted.delete(worker.id);
    countedByDead = aggregate([countedByDead, last]).getMetricsAsArray();
  };
  cluster.on('exit', retire);
  cluster.on('disconnect', retire);

  /** Empty if the worker exits, or does not reply in time: what it has counted is known from before. */
  const gaugesOf = async (worker: Worker): Promise<MetricValues> => {
    const settled = new AbortController();
    const signal = AbortSignal.any([settled.signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]);
    const reply = once(replies, String(worker.id), { signal }) as Promise<[MetricValues]>;
    const exit = once(worker, 'exit', { signal }).then((): [MetricValues] => [[]]);
    requestMetrics(worker);
    try {
      const [gauges] = await Promise.race([reply, exit]);
      return gauges;
    } catch {
      return [];
    } finally {
      settled.abort();
    }
  };

  return async () => {
    const gauges = await Promise.all(workers.listening().map(gaugesOf));
    const ofPrimary = await own.getMetricsAsJSON();
    return aggregate([ofPrimary, countedByDead, ...counted.values(), ...gauges]).metrics();
  };
}

/** Ignores a worker that is gone: its exit is handled separately. */
function requestMetrics(worker: Worker): void {
  worker.send(METRICS_REQUEST, () => undefined);
}

/** The workers that accept requests. One that is still starting cannot reply yet. */
function trackWorkers() {
  const starting = new Set<Worker>();
  cluster.on('fork', (worker) => starting.add(worker));
  cluster.on('listening', (worker) => starting.delete(worker));
  return {
    listening: () =>
      Object.values(cluster.workers ?? {}).filter(
        (worker): worker is Worker =>
          worker?.isConnected() === true && !worker.isDead() && !starting.has(worker),
      ),
  };
}

export function createPrimaryMetrics(initialWorkers: number, countWorkers: () => number): Registry {
  const registry = new Registry();
  const registers = [registry];
  const workers = new Gauge({
    name: 'gateway_workers',
    help: 'Workers of the cluster that accept requests',
    registers,
    collect: () => {
      workers.set(countWorkers());
    },
  });
  const restarts = new Counter({
    name: 'gateway_worker_restarts_total',
    help: 'Workers that were started in place of those that had exited',
    registers,
  });
  let forks = 0;
  cluster.on('fork', () => {
    forks += 1;
    if (forks > initialWorkers) restarts.inc();
  });
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'Start time of the primary since unix epoch in seconds.',
    aggregator: 'first',
    registers,
  }).set(Math.round(Date.now() / 1000 - process.uptime()));
  return registry;
}

function aggregate(metrics: readonly MetricValues[]): Registry {
  return AggregatorRegistry.aggregate(metrics as object[]);
}

function isGauge({ type }: MetricObject): boolean {
  return String(type) === 'gauge';
}

async function valuesOf(
  registry: Registry,
  isSelected: (metric: MetricObject) => boolean,
): Promise<MetricValues> {
  const selected = registry.getMetricsAsArray().filter(isSelected);
  const values = await Promise.all(selected.map(async ({ name }) => registry.getSingleMetric(name)?.get()));
  return values.filter((value) => value !== undefined);
}

/** Resolves even if the channel is closed: then the primary is gone, and the worker about to exit. */
function send(message: WorkerMetrics): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, undefined, undefined, () => {
      resolve();
    });
  });
}
