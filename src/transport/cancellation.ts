/** Ends calls early: when the clients of all requests that share a call have disconnected, or too little time is left. */

/** Fires at most once. Each read creates one, and so does its request: AbortSignals in their place took 5 % of the time of a read. */
export class Cancellation {
  isCancelled = false;
  private listeners: (() => void)[] = []; // so few that a Set would be slower

  cancel(): void {
    if (this.isCancelled) return;
    this.isCancelled = true;
    const { listeners } = this;
    this.listeners = [];
    for (const listener of listeners) listener();
  }

  /** Registers a listener, or calls it if this has fired. */
  onCancel(listener: () => void): void {
    if (this.isCancelled) listener();
    else this.listeners.push(listener);
  }

  offCancel(listener: () => void): void {
    const index = this.listeners.lastIndexOf(listener);
    if (index >= 0) this.listeners.splice(index, 1);
  }
}

export interface Ends {
  /** When it times out, on the clock of performance.now(). */
  readonly deadline: number;
  /** Fires when the client disconnects. */
  readonly cancellation: Cancellation;
}

/** Time in milliseconds in which a response could arrive. With less, a call is not sent: a write would end as UNKNOWN. */
export const MIN_REMAINING_MS = 1;

/** `deadline` is on the clock of performance.now(). Deadline timers are not enough: on a busy event loop, they fire late. */
export function isTooLateToSend(deadline: number, delayMs = 0): boolean {
  return deadline - performance.now() - delayMs < MIN_REMAINING_MS;
}
