/** A Prometheus server with deploy/observability/prometheus.yaml, which scrapes gateways on this machine. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { readText, root } from '../deploy/deployment.js';
import { startProcess } from '../process/startProcess.js';
import { freePort } from '../tools/freePort.js';
import { until } from '../tools/waiting.js';

export type Prometheus = Awaited<ReturnType<typeof startPrometheus>>;

interface PrometheusConfig {
  global: Record<string, unknown>;
  rule_files: string[];
  alerting?: unknown;
  scrape_configs: [{ static_configs: { targets: string[] }[] }];
}

/** Scrapes the targets, and evaluates the rules, every second. */
export async function startPrometheus(targets: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
  const config = parse(readText('deploy/observability/prometheus.yaml')) as PrometheusConfig;
  Object.assign(config.global, { scrape_interval: '1s', evaluation_interval: '1s' });
  config.rule_files = config.rule_files.map((file) => join(root, 'deploy/observability', file));
  delete config.alerting;
  config.scrape_configs[0].static_configs = [{ targets: [...targets] }];
  const file = join(folder, 'prometheus.yaml');
  writeFileSync(file, stringify(config));

  const address = `127.0.0.1:${await freePort()}`;
  const { kill, exited } = startProcess('prometheus', [
    `--config.file=${file}`,
    `--storage.tsdb.path=${folder}`,
    `--web.listen-address=${address}`,
  ]);
  const get = async <Data>(path: string) => {
    const response = await fetch(`http://${address}/api/v1/${path}`);
    const { data, error } = (await response.json()) as { data: Data; error?: string };
    if (error !== undefined) throw new Error(`Prometheus rejects ${decodeURIComponent(path)}: ${error}`);
    return data;
  };
  await until(async () => (await fetch(`http://${address}/-/ready`).catch(() => undefined))?.ok);
  return {
    /** The values of an instant query by their labels; throws if the query is invalid. */
    async query(query: string) {
      interface Vector {
        result: { metric: Record<string, string>; value: [number, string] }[];
      }
      const { result } = await get<Vector>(`query?query=${encodeURIComponent(query)}`);
      return result.map(({ metric, value: [, value] }) => ({ metric, value: Number(value) }));
    },
    /** The rules, and whether their last evaluation succeeded. */
    async rules() {
      const { groups } = await get<{ groups: { rules: { name: string; health: string }[] }[] }>('rules');
      return groups.flatMap(({ rules }) => rules);
    },
    async stop() {
      kill('SIGKILL');
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}
