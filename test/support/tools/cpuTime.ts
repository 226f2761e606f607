/** CPU time as a multiple of a calibration in the same process, so that limits hold on fast, slow and busy machines. */

/** Of several attempts the least, which no garbage collection and no compilation delayed. */
async function leastCpuMs(run: (attempt: number) => unknown, attempts: number): Promise<number> {
  let leastMs = Infinity;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const before = process.cpuUsage();
    await run(attempt);
    const { user, system } = process.cpuUsage(before);
    leastMs = Math.min(leastMs, (user + system) / 1000);
  }
  return leastMs;
}

const MEMBERS = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`member ${index}`, index]));

/** Writing and parsing a JSON object of 5,000 members: some 2 ms on a machine of 2024. */
function calibrate(): Promise<number> {
  return leastCpuMs(() => JSON.parse(JSON.stringify(MEMBERS)) as unknown, 20);
}

export interface Stopwatch {
  /** The CPU time of the task, all of this process included, in units of the calibration. */
  measure(run: (attempt: number) => unknown, attempts?: number): Promise<number>;
}

export async function createStopwatch(): Promise<Stopwatch> {
  await calibrate(); // compiles it
  const unitMs = await calibrate();
  return { measure: async (run, attempts = 6) => (await leastCpuMs(run, attempts)) / unitMs };
}
