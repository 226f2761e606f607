/** Memory budget of the process: limits the bytes of request bodies, response bodies and results that are in memory at a time. */
import { ServiceError } from './serviceError.js';
import { FAIR_SHARE, HeldAmounts, type Holder } from './shares.js';

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
 * What counts, one kind after the other. `all` is the share of the budget for this kind and those before it, so that there is room for
 * the responses to requests that were accepted, and for the results of responses that were read. `client` is how much of this kind a
 * token or an address may hold while others ask.
 */
const limits = {
  request: { all: 1 / 4, client: FAIR_SHARE / 4 },
  response: { all: 1 / 2, client: FAIR_SHARE / 2 },
  result: { all: 1, client: FAIR_SHARE / 2 },
};
type MemoryKind = keyof typeof limits;
const kinds: readonly MemoryKind[] = ['request', 'response', 'result'];

export class MemoryBudget {
  private readonly reserved = {
    request: new HeldAmounts(),
    response: new HeldAmounts(),
    result: new HeldAmounts(),
  };

  constructor(private readonly maxBytes: number) {}

  get bytesInFlight(): number {
    return this.reservedUpTo('result');
  }

  /** Whether there is no room for anything that counts. */
  get isUsedUp(): boolean {
    return this.bytesInFlight + UNCOUNTED_BYTES > this.maxBytes;
  }

  /** Reserves memory in addition to the `held` bytes of a share; false if there is no room. */
  reserve(reservation: Reservation, bytes: number): boolean {
    if (!this.hasRoom(reservation, bytes)) return false;
    this.reserved[reservation.kind].add(reservation.holder, bytes);
    return true;
  }

  release({ kind, holder }: Omit<Reservation, 'held'>, bytes: number): void {
    this.reserved[kind].add(holder, -bytes);
  }

  /**
   * A client may always hold one share of a kind, and several that do not exceed its own limit together. Beyond it, it gets only the
   * first half of the memory, so that others find the second one free. A request fits whatever its size if there is no other.
   */
  private hasRoom({ kind, holder, held }: Reservation, bytes: number): boolean {
    if (kind === 'request' && this.reserved.request.total === held) return true;
    const own = this.reserved[kind].of(holder);
    const isWithinShare = own === held || own + bytes <= limits[kind].client * this.maxBytes;
    const maxBytes = isWithinShare ? this.maxBytes : this.maxBytes / 2;
    return kinds
      .slice(kinds.indexOf(kind))
      .every((each) => this.reservedUpTo(each) + bytes <= limits[each].all * maxBytes);
  }

  private reservedUpTo(kind: MemoryKind): number {
    return kinds.slice(0, kinds.indexOf(kind) + 1).reduce((sum, each) => sum + this.reserved[each].total, 0);
  }
}

interface Reservation {
  kind: MemoryKind;
  holder: Holder;
  /** Bytes that are reserved already. */
  held: number;
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

  constructor(
    readonly budget: MemoryBudget,
    readonly kind: MemoryKind,
    readonly holder: Holder,
  ) {}

  /** A share for the response to a REST call of this request. */
  forResponse(): MemoryShare {
    return new MemoryShare(this.budget, 'response', this.holder);
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
    return this.holders > 0 && this.reserve(bytes);
  }

  private growTo(bytes: number): boolean {
    return bytes <= this.reservedBytes || this.reserve(bytes - this.reservedBytes);
  }

  private reserve(bytes: number): boolean {
    const { kind, holder, reservedBytes: held } = this;
    if (!this.budget.reserve({ kind, holder, held }, bytes)) return false;
    this.reservedBytes += bytes;
    return true;
  }

  private free(bytes: number): void {
    if (bytes === 0) return;
    this.reservedBytes -= bytes;
    this.budget.release(this, bytes);
  }
}
