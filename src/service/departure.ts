/**
 * That who waits for an answer leaves, which happens once at the most. It has what calls need of an AbortSignal, in a
 * fraction of the time: each read has one, beside that of its request.
 */
export class Departure {
  private happened = false;
  private listeners: (() => void)[] = []; // so few that a Set would take longer

  get hasHappened(): boolean {
    return this.happened;
  }

  /** Runs what takes an AbortSignal alone. */
  async during<T>(run: (left: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const abort = () => {
      controller.abort();
    };
    if (this.happened) abort();
    this.listen(abort);
    try {
      return await run(controller.signal);
    } finally {
      this.unlisten(abort);
    }
  }

  happen(): void {
    if (this.happened) return;
    this.happened = true;
    const { listeners } = this;
    this.listeners = [];
    for (const listener of listeners) listener();
  }

  /** Has the listener called when it happens, which it does not when it has happened before. */
  listen(listener: () => void): void {
    this.listeners.push(listener);
  }

  unlisten(listener: () => void): void {
    const index = this.listeners.lastIndexOf(listener);
    if (index >= 0) this.listeners.splice(index, 1);
  }
}
