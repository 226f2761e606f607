const JITTER = 0.1;

/** A duration that differs by up to 10 %, so that what began at the same time does not end at the same time. */
export function jittered(durationMs: number): number {
  return durationMs * (1 - JITTER + 2 * JITTER * Math.random());
}
