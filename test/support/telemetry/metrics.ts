/** Metrics as Prometheus reads them. */

/** The value of every series, by its name and labels as they are written. */
export async function scrape(url: string): Promise<Record<string, number>> {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`Expected metrics, got ${response.status}`);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => {
      const [, series = '', value = ''] = /^(.+) (\S+)$/.exec(line) ?? [];
      return [series, Number(value)];
    }),
  );
}

/** Of the gateway's own series those that count, without what they count in parts. */
export async function counts(url: string): Promise<Record<string, number>> {
  const series = Object.entries(await scrape(url));
  return Object.fromEntries(
    series.filter(([name]) => /^(?:graphql|http|rest)_/.test(name) && !/_(?:bucket|sum)\{/.test(name)),
  );
}
