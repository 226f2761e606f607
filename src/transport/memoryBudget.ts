/** Memory budget of the process: limits the bytes of request bodies, response bodies and results that are in memory at a time. */
import { ServiceError } from './serviceError.js';
import { FAIR_SHARE, AmountsByClient, type Identity } from './shares.js';

/**
 * Bodies and results up to this size are not counted: their number is limited already, and a large list of one client must
 * not fail the small requests of others. It also keeps the budget off the path of nearly every request.
 */
export const UNCOUNTED_BYTES = 32_768;

/**
 * Bytes that each byte of a request's body takes: its characters take two each if one of them is not Latin-1, in the arguments and in
 * the text of the REST request that is made of them.
 */
const BYTES_PER_REQUEST_BYTE = 4;

/**
 * Share of the budget up to which an operation may hold what it needs: its request, then responses, then its result. Each kind is counted
 * with the kinds before it, which leaves room for the responses to accepted requests, and for the results of responses that were read.
 */
const limits = { request: 1 / 4, response: 1 / 2, result: 1 };
type MemoryKind = keyof typeof limits;
const kinds: readonly MemoryKind[] = ['request', 'response', 'result'];

export class MemoryBudget {
  private readonly reserved = {
    request: new AmountsByClient(),
    response: new AmountsByClient(),
    result: new AmountsByClient(),
  };

  constructor(private readonly maxBytes: number) {}

  get bytesInFlight(): number {
    return this.reservedUpTo('result');
  }

  /** Whether there is no room for anything that counts. */
  get isUsedUp(): boolean {
    return this.bytesInFlight + UNCOUNTED_BYTES > this.maxBytes;
  }

  /**
   * Reserves memory in addition to the `ownBytes` that a share has; false if there is no room. A token or an address may hold one share of
   * each kind, whatever its size, several within its fair share of the limits, and more than that in the first half of the memory, which
   * leaves the second half to others. A request always fits if there is no other.
   */
  reserve({ kind, identity, ownBytes }: Reservation, bytes: number): boolean {
    const isOnlyRequest = kind === 'request' && this.reserved.request.total === ownBytes;
    const isFirst = this.reserved[kind].of(identity) === ownBytes;
    const fits = kinds.slice(kinds.indexOf(kind)).every((each) => {
      const limit = limits[each] * this.maxBytes;
      const isFair = isFirst || this.reservedUpTo(each, identity) + bytes <= limit * FAIR_SHARE;
      return this.reservedUpTo(each) + bytes <= (isFair ? limit : limit / 2);
    });
    if (isOnlyRequest || fits) this.reserved[kind].add(identity, bytes);
    return isOnlyRequest || fits;
  }

  release({ kind, identity }: Omit<Reservation, 'ownBytes'>, bytes: number): void {
    this.reserved[kind].add(identity, -bytes);
  }

  /** Bytes of a kind and the kinds before it, of one client or of all. */
  private reservedUpTo(kind: MemoryKind, identity?: Identity): number {
    const counted = kinds.slice(0, kinds.indexOf(kind) + 1).map((each) => this.reserved[each]);
    return counted.reduce((sum, amounts) => sum + (identity ? amounts.of(identity) : amounts.total), 0);
  }
}

interface Reservation {
  kind: MemoryKind;
  identity: Identity;
  /** Bytes that are reserved already. */
  ownBytes: number;
}

/**
 * What a REST call, a client's request or its body holds of the budget. The body of a call stays reserved until the last operation that
 * uses it has ended: its parsed objects live that long.
 */
export class MemoryShare {
  private bodySize = 0;
  private resultSize = 0;
  /** Bytes that the results take once they are built. */
  private builtSize = 0;
  private reservedBytes = 0;
  /** Shares of the calls whose bodies are counted, if any. */
  private calls: MemoryShare[] | undefined;

  /** How many hold the share; whoever creates it is the first. */
  private references = 1;

  constructor(
    readonly budget: MemoryBudget,
    readonly kind: MemoryKind,
    readonly identity: Identity,
  ) {}

  /** A share for the response to a REST call of this request. */
  forResponse(): MemoryShare {
    return new MemoryShare(this.budget, 'response', this.identity);
  }

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
    return bytes <= UNCOUNTED_BYTES || this.growTo(bytes * BYTES_PER_REQUEST_BYTE);
  }

  /** Reserves memory for a body that has this size so far; false if it exceeds the budget. */
  growBody(bytes: number): boolean {
    return bytes <= UNCOUNTED_BYTES || this.growTo(bytes);
  }

  /** The body is complete; parsed, it takes as much memory as a body of `parsedBytes`. False if that exceeds the budget. */
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
    if (!this.reserveMore(this.builtSize, builtBytes)) throw new ServiceError('responseDiscarded');
    this.resultSize += bytes;
    this.builtSize += builtBytes;
  }

  /** Counts what is read from elsewhere like the body of a read; false if it exceeds the budget. */
  addBody(bytes: number): boolean {
    this.bodySize += bytes;
    return this.reserveMore(this.bodySize - bytes, bytes);
  }

  /**
   * Keeps the body of a successful call until this share is released; false if it exceeds the budget. The bodies of a
   * request's reads are counted once they exceed the uncounted size together.
   */
  adopt(call: MemoryShare, { isRead }: { isRead: boolean }): boolean {
    this.bodySize += call.bodySize;
    if (call.reservedBytes > 0 && this.references > 0) {
      call.retain();
      (this.calls ??= []).push(call);
      return true;
    }
    return !isRead || this.reserveMore(this.bodySize - call.bodySize, call.bodySize);
  }

  /** The operation has ended: of what it has read and built, only the text of its result is still needed. */
  endOperation(): void {
    for (const call of this.calls ?? []) call.release();
    this.calls = undefined;
    const kept = this.resultSize > UNCOUNTED_BYTES ? this.resultSize : 0;
    if (kept < this.reservedBytes) this.free(this.reservedBytes - kept);
    this.release();
  }

  retain(): void {
    this.references += 1;
  }

  /** Called once by each that retains the share; the last one frees the memory. */
  release(): void {
    this.references -= 1;
    if (this.references > 0) return;
    this.free(this.reservedBytes);
    for (const call of this.calls ?? []) call.release();
  }

  /** Reserves what is added to an amount; all of it when it stops being uncounted. */
  private reserveMore(before: number, added: number): boolean {
    if (before + added <= UNCOUNTED_BYTES) return true;
    const bytes = before <= UNCOUNTED_BYTES ? before + added : added;
    // A released share belongs to a request that has ended: what it still computes is discarded.
    return this.references > 0 && this.reserve(bytes);
  }

  private growTo(bytes: number): boolean {
    return bytes <= this.reservedBytes || this.reserve(bytes - this.reservedBytes);
  }

  private reserve(bytes: number): boolean {
    const { kind, identity, reservedBytes: ownBytes } = this;
    if (!this.budget.reserve({ kind, identity, ownBytes }, bytes)) return false;
    this.reservedBytes += bytes;
    return true;
  }

  private free(bytes: number): void {
    if (bytes === 0) return;
    this.reservedBytes -= bytes;
    this.budget.release(this, bytes);
  }
}
