/** Durations: what is left before a deadline, what has elapsed, and how they are spread. */

/** Milliseconds since a time on the clock of performance.now(), to a tenth: what the log, traces and metrics say. */
export function elapsedMs(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 10) / 10;
}

/** Time in milliseconds in which a response could arrive. With less, a call is not sent: a write would end as UNKNOWN. */
export const MIN_REMAINING_MS = 1;

/**
 * Whether a call with this deadline, on the clock of performance.now(), may no longer be sent, now or after `delayMs`.
 * Deadline timers alone do not prevent that: on a busy event loop they fire late.
 */
export function isTooLateToSend(deadline: number, delayMs = 0): boolean {
  return deadline - performance.now() - delayMs < MIN_REMAINING_MS;
}

const JITTER = 0.1;

/** A duration that differs by up to 10 %, so that what began at the same time does not end at the same time. */
export function jittered(durationMs: number): number {
  return durationMs * (1 - JITTER + 2 * JITTER * Math.random());
}
