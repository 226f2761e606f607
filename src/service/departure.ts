/**
 * That who waits for an answer leaves, which happens once at the most. It has what calls need of an AbortSignal, in a
 * fraction of the time: every read has two of them.
 */
export class Departure {
  private happened = false;
  private listeners: (() => void)[] = []; // few, so that a Set would take longer

  get hasHappened(): boolean {
    return this.happened;
  }

  /** The same for what takes an AbortSignal alone. */
  get signal(): AbortSignal {
    const controller = new AbortController();
    const abort = () => {
      controller.abort();
    };
    if (this.happened) abort();
    else this.listen(abort);
    return controller.signal;
  }

  happen(): void {
    if (this.happened) return;
    this.happened = true;
    const { listeners } = this;
    this.listeners = [];
    for (const listener of listeners) listener();
  }

  /** Has the listener called when it happens: not any more, when it has happened before. */
  listen(listener: () => void): void {
    this.listeners.push(listener);
  }

  unlisten(listener: () => void): void {
    const index = this.listeners.lastIndexOf(listener);
    if (index >= 0) this.listeners.splice(index, 1);
  }
}
