/** Probes to run inside a gateway process: each replies to any message with a number. */

/** Replies with the bytes of heap in use after a garbage collection. Needs `--expose-gc`. */
export const HEAP_PROBE = `
  process.on('message', () => { gc(); gc(); process.send(process.memoryUsage().heapUsed); });
`;

/** Replies with the peak of resident memory in bytes since the last message. */
export const PEAK_MEMORY_PROBE = `
  const { rss } = process.memoryUsage;
  let peak = 0;
  setInterval(() => { peak = Math.max(peak, rss()); }, 2).unref();
  process.on('message', () => { process.send(peak); peak = rss(); });
`;

/** Replies with the longest time in milliseconds that the event loop was blocked since the last message. */
export const EVENT_LOOP_PROBE = `
  let longestMs = 0;
  let lastMs = performance.now();
  const measure = () => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
  };
  setInterval(measure, 1).unref();
  process.on('message', () => { measure(); process.send(longestMs); longestMs = 0; });
`;
