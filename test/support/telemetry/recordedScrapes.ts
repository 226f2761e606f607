/** A Prometheus server that has already scraped: queries need not wait for it, and see the same intervals every time. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { minimalEnv } from '../process/minimalEnv.js';
import { startProcess } from '../process/startProcess.js';
import { freePort } from '../tools/freePort.js';
import { until } from '../tools/waiting.js';

export interface RecordedScrapes {
  /** Runs an instant query at the time of the last scrape; throws if it is invalid. */
  query(query: string): Promise<Sample[]>;
  stop(): Promise<void>;
}

export interface Sample {
  labels: Record<string, string>;
  value: number;
}

/** Old enough for Prometheus to read it from its blocks on disk alone, and within its retention. */
const AGE_S = 4 * 3600;
const SCRAPE_INTERVAL_S = 15;

/** Takes the texts of successive scrapes of one process. */
export async function recordScrapes(scrapes: readonly string[]): Promise<RecordedScrapes> {
  const folder = mkdtempSync(join(tmpdir(), 'recorded-scrapes-'));
  const startedAt = Math.floor(Date.now() / 1000) - AGE_S;
  const samples = scrapes.flatMap((text, index) => withTime(text, startedAt + index * SCRAPE_INTERVAL_S));
  const [input, config, data] = ['scrapes.txt', 'prometheus.yaml', 'data'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  writeFileSync(input, `${samples.join('\n')}\n# EOF\n`);
  writeFileSync(config, '{}');
  promtool(['tsdb', 'create-blocks-from', 'openmetrics', input, data]);

  const address = `127.0.0.1:${await freePort()}`;
  const { kill, exited } = startProcess('prometheus', [
    `--config.file=${config}`,
    `--storage.tsdb.path=${data}`,
    `--web.listen-address=${address}`,
  ]);
  await until(async () => (await fetch(`http://${address}/-/ready`).catch(() => undefined))?.ok);
  const lastAt = startedAt + (scrapes.length - 1) * SCRAPE_INTERVAL_S;
  return {
    async query(query) {
      const parameters = new URLSearchParams({ query, time: String(lastAt) });
      const response = await fetch(`http://${address}/api/v1/query?${parameters.toString()}`);
      const { data: vector, error } = (await response.json()) as QueryResponse;
      if (vector === undefined) throw new Error(`Prometheus rejects ${query}: ${error}`);
      return vector.result.map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }));
    },
    async stop() {
      kill('SIGKILL');
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}

interface QueryResponse {
  data?: { result: { metric: Record<string, string>; value: [time: number, value: string] }[] };
  error?: string;
}

/** Returns what promtool prints, or throws it if it fails. */
export function promtool(args: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, {
    env: minimalEnv,
    input,
    encoding: 'utf8',
    maxBuffer: 10_000_000,
  });
  if (status !== 0) throw new Error(`promtool ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

/** The samples of a scrape in OpenMetrics, which has times in seconds. */
function withTime(text: string, time: number): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => `${line} ${time}`);
}
