/** Memory budget of the process: limits the bytes of request bodies, response bodies and results that are in memory at a time. */
import { ServiceError } from './serviceError.js';

/**
 * Bodies and results up to this size are not counted: their number is limited already, and a large list of one client must
 * not fail the small requests of others. It also keeps the budget off the path of nearly every request.
 */
export const UNCOUNTED_BYTES = 32_768;

/**
 * Bytes that each byte of a request's body takes: its characters take two each if one of them is not Latin-1, in the arguments and in
 * the text of the REST request that is made of them.
 */
export const BYTES_PER_REQUEST_BYTE = 4;

export class MemoryBudget {
  private reservedBytes = 0;

  constructor(private readonly maxBytes: number) {}

  get bytesInFlight(): number {
    return this.reservedBytes;
  }

  /** Whether there is no room for anything that counts. */
  get isUsedUp(): boolean {
    return this.reservedBytes + UNCOUNTED_BYTES > this.maxBytes;
  }

  /**
   * New requests may fill a quarter of the budget, so that there is room for the responses to those accepted. Whatever its size, one
   * fits if the `held` bytes that it has are all that is reserved.
   */
  reserveRequest(bytes: number, held: number): boolean {
    return this.reserve(bytes, this.reservedBytes === held ? Infinity : this.maxBytes / 4);
  }

  /** New bodies may fill half of the budget, so that there is room for the results of those already read. */
  reserveBody(bytes: number): boolean {
    return this.reserve(bytes, this.maxBytes / 2);
  }

  reserveResult(bytes: number): boolean {
    return this.reserve(bytes, this.maxBytes);
  }

  release(bytes: number): void {
    this.reservedBytes -= bytes;
  }

  private reserve(bytes: number, maxBytes: number): boolean {
    if (this.reservedBytes + bytes > maxBytes) return false;
    this.reservedBytes += bytes;
    return true;
  }
}

/**
 * What a REST call, a client's request or its body holds of the budget. The body of a call stays reserved until the last request that
 * uses it has ended: its parsed objects live that long.
 */
export class MemoryShare {
  private bodySize = 0;
  private resultSize = 0;
  private reservedBytes = 0;
  /** Shares of the calls whose bodies are counted, if any. */
  private calls: MemoryShare[] | undefined;

  /** Each holder releases the share once; whoever creates it is the first. */
  private holders = 1;

  constructor(readonly budget: MemoryBudget) {}

  /** Bytes of all bodies that were read, decompressed. */
  get bodyBytes(): number {
    return this.bodySize;
  }

  /** Bytes of the results added so far. */
  get resultBytes(): number {
    return this.resultSize;
  }

  /** Whether its body counts. */
  get isCounted(): boolean {
    return this.reservedBytes > 0;
  }

  /** Reserves memory for the body of a client's request that has this size, or has so far; false if it exceeds the budget. */
  growRequest(bytes: number): boolean {
    if (bytes <= UNCOUNTED_BYTES) return true;
    const missing = bytes * BYTES_PER_REQUEST_BYTE - this.reservedBytes;
    if (!this.budget.reserveRequest(missing, this.reservedBytes)) return false;
    this.reservedBytes += missing;
    return true;
  }

  /** Reserves memory for a body that has this size so far; false if it exceeds the budget. */
  growBody(bytes: number): boolean {
    const missing = bytes - this.reservedBytes;
    if (bytes <= UNCOUNTED_BYTES || missing <= 0) return true;
    if (!this.budget.reserveBody(missing)) return false;
    this.reservedBytes += missing;
    return true;
  }

  /** The body is complete; parsed, it takes as much memory as that of `parsedBytes`. False if that exceeds the budget. */
  endBody(bytes: number, parsedBytes: number): boolean {
    this.bodySize = bytes;
    const kept = bytes > UNCOUNTED_BYTES ? parsedBytes : 0;
    if (kept < this.reservedBytes) this.free(this.reservedBytes - kept);
    return this.growBody(kept);
  }

  /** Discards the body of a failed attempt. */
  discardBody(): void {
    this.bodySize = 0;
    this.free(this.reservedBytes);
  }

  /**
   * Reserves memory for a result, before it is built; throws a ServiceError, `responseDiscarded`, if it exceeds the budget. Built, it takes
   * as much memory as a result of `builtBytes`.
   */
  addResult(bytes: number, builtBytes = bytes): void {
    this.resultSize += bytes;
    if (!this.reserveMore(this.resultSize - bytes, builtBytes)) throw new ServiceError('responseDiscarded');
  }

  /**
   * Keeps the body of a successful call until this share is released; false if it exceeds the budget. The bodies of a
   * request's reads are counted once they exceed the uncounted size together.
   */
  adopt(call: MemoryShare, { isRead }: { isRead: boolean }): boolean {
    this.bodySize += call.bodySize;
    if (call.reservedBytes > 0 && this.holders > 0) {
      call.hold();
      (this.calls ??= []).push(call);
      return true;
    }
    return !isRead || this.reserveMore(this.bodySize - call.bodySize, call.bodySize);
  }

  hold(): void {
    this.holders += 1;
  }

  /** Removes a holder; the last one frees the memory. */
  release(): void {
    this.holders -= 1;
    if (this.holders > 0) return;
    this.free(this.reservedBytes);
    for (const call of this.calls ?? []) call.release();
  }

  /** Reserves what is added to an amount; all of it when it stops being uncounted. */
  private reserveMore(before: number, added: number): boolean {
    if (before + added <= UNCOUNTED_BYTES) return true;
    const bytes = before <= UNCOUNTED_BYTES ? before + added : added;
    // A released share belongs to a request that has ended: what it still computes is discarded.
    if (this.holders <= 0 || !this.budget.reserveResult(bytes)) return false;
    this.reservedBytes += bytes;
    return true;
  }

  private free(bytes: number): void {
    if (bytes === 0) return;
    this.reservedBytes -= bytes;
    this.budget.release(bytes);
  }
}
