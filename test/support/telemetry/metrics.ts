/** Scrapes metrics the way Prometheus does. */

/** The value of every time series by its name and labels, exactly as exposed. */
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

/** The gateway's own time series, without the buckets and sums of histograms. */
export async function counts(url: string): Promise<Record<string, number>> {
  const series = Object.entries(await scrape(url));
  return Object.fromEntries(
    series.filter(([name]) => /^(?:graphql|http|rest)_/.test(name) && !/_(?:bucket|sum)\{/.test(name)),
  );
}
