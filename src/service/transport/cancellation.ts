/**
 * That who waits for an answer leaves, which happens once at the most. It has what calls need of an AbortSignal, in a
 * fraction of the time: each read has one, beside that of its request.
 */
export class Cancellation {
  private cancelled = false;
  private listeners: (() => void)[] = []; // so few that a Set would take longer

  get isCancelled(): boolean {
    return this.cancelled;
  }

  /** Runs what takes an AbortSignal alone. */
  async withSignal<T>(run: (left: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const abort = () => {
      controller.abort();
    };
    if (this.cancelled) abort();
    this.onCancel(abort);
    try {
      return await run(controller.signal);
    } finally {
      this.offCancel(abort);
    }
  }

  cancel(): void {
    if (this.cancelled) return;
    this.cancelled = true;
    const { listeners } = this;
    this.listeners = [];
    for (const listener of listeners) listener();
  }

  /** Has the listener called when it happens, which it does not when it has happened before. */
  onCancel(listener: () => void): void {
    this.listeners.push(listener);
  }

  offCancel(listener: () => void): void {
    const index = this.listeners.lastIndexOf(listener);
    if (index >= 0) this.listeners.splice(index, 1);
  }
}
