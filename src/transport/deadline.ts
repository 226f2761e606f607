/** Time in milliseconds in which a response could arrive. With less, a call is not sent: a write would end as UNKNOWN. */
export const MIN_REMAINING_MS = 1;

/**
 * Whether a call with this deadline, on the clock of performance.now(), may no longer be sent, now or after `delayMs`.
 * Deadline timers alone do not prevent that: on a busy event loop they fire late.
 */
export function isTooLateToSend(deadline: number, delayMs = 0): boolean {
  return deadline - performance.now() - delayMs < MIN_REMAINING_MS;
}
