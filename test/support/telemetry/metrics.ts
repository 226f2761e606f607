/** Scrapes metrics the way Prometheus does. */
import { request } from 'undici';

/** The value of every time series by its name and labels, exactly as exposed. */
export async function scrape(url: string): Promise<Record<string, number>> {
  // A connection each: a busy gateway may close an idle one just as it is used again.
  const { statusCode, body } = await request(url, { reset: true });
  if (statusCode !== 200) throw new Error(`Expected metrics, got ${statusCode}`);
  const lines = (await body.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => {
      const [, series = '', value = ''] = /^(.+) (\S+)$/.exec(line) ?? [];
      return [series, Number(value)];
    }),
  );
}

/** The gateway's own counters, the counts of its histograms, and the circuits. */
export async function counts(url: string): Promise<Record<string, number>> {
  const series = Object.entries(await scrape(url));
  return Object.fromEntries(
    series.filter(([name]) =>
      /^(?:http|shipment_gateway)\w*_(?:count|total|circuit_open)(?:\{|$)/.test(name),
    ),
  );
}

/** Those of them that are not 0. */
export async function grown(url: string): Promise<Record<string, number>> {
  return Object.fromEntries(Object.entries(await counts(url)).filter(([, value]) => value !== 0));
}

export interface Series {
  labels: Record<string, string>;
  value: number;
}

/** The time series of a metric, with their labels parsed. */
export function seriesOf(values: Readonly<Record<string, number>>, metric: string): Series[] {
  return Object.entries(values)
    .filter(([name]) => name === metric || name.startsWith(`${metric}{`))
    .map(([name, value]) => ({
      labels: Object.fromEntries(
        [...name.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', text = '']) => [label, text]),
      ),
      value,
    }));
}
