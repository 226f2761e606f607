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
 * What an operation holds while it runs: its request, then responses, then its result. Each kind shares `all` of the budget with the
 * kinds before it, which leaves room for the responses to accepted requests, and for the results of responses that were read. A token or
 * an address may always hold `client` of a kind; the three add up to its fair share.
 */
const limits = {
  request: { all: 1 / 4, client: FAIR_SHARE / 4 },
  response: { all: 1 / 2, client: FAIR_SHARE / 2 },
  result: { all: 1, client: FAIR_SHARE / 4 },
};
type MemoryKind = keyof typeof limits;
const kinds: readonly MemoryKind[] = ['request', 'response', 'result'];

export class MemoryBudget {
  /** What operations in progress hold. */
  private readonly reserved = {
    request: new AmountsByClient(),
    response: new AmountsByClient(),
    result: new AmountsByClient(),
  };
  /** Responses of reads that may be cut off, in the order in which their operations ended. They have no limit of their own. */
  private readonly unread = new Set<MemoryShare>();
  /** All of these. */
  private readonly inUse = new AmountsByClient();
  private readonly fairBytes: number;

  constructor(private readonly maxBytes: number) {
    this.fairBytes = maxBytes * FAIR_SHARE;
  }

  get bytesInFlight(): number {
    return this.inUse.total;
  }

  /** Whether there is no room for anything that counts, whatever is cut off. */
  get isUsedUp(): boolean {
    return this.reservedUpTo('result') + UNCOUNTED_BYTES > this.maxBytes;
  }

  /**
   * Reserves memory in addition to the `ownBytes` that a share has; false if there is no room. A request fits whatever its size if there is no
   * other.
   */
  reserve(reservation: Reservation, bytes: number): boolean {
    const { kind, identity, ownBytes } = reservation;
    const mustFit = kind === 'request' && this.reserved.request.total === ownBytes;
    if (!mustFit && !this.isWithinLimits(reservation, bytes)) return false;
    while (this.cutOffUnread(identity, bytes));
    if (!mustFit && this.bytesInFlight + bytes > this.maxBytes) return false;
    this.reserved[kind].add(identity, bytes);
    this.inUse.add(identity, bytes);
    return true;
  }

  release(share: MemoryShare, bytes: number): void {
    if (!this.unread.delete(share)) this.reserved[share.kind].add(share.identity, -bytes);
    this.inUse.add(share.identity, -bytes);
  }

  /** From now on, a share may be cut off, and no longer counts for what operations in progress may hold. */
  markUnread(share: MemoryShare, bytes: number): void {
    this.unread.add(share);
    this.reserved[share.kind].add(share.identity, -bytes);
  }

  /**
   * A client may always hold one share of a kind, whatever its size, and several within its limit. Beyond the limit, it may fill only the
   * first half of the memory, which leaves the second half to others, and at most its fair share of the budget.
   */
  private isWithinLimits({ kind, identity, ownBytes }: Reservation, bytes: number): boolean {
    const own = this.reserved[kind].of(identity);
    const isWithinShare = own === ownBytes || own + bytes <= limits[kind].client * this.maxBytes;
    const ownOfAll = kinds.reduce((sum, each) => sum + this.reserved[each].of(identity), 0);
    if (!isWithinShare && ownOfAll + bytes > this.fairBytes) return false;
    const maxBytes = isWithinShare ? this.maxBytes : this.maxBytes / 2;
    return kinds
      .slice(kinds.indexOf(kind))
      .every((each) => this.reservedUpTo(each) + bytes <= limits[each].all * maxBytes);
  }

  /**
   * Cuts off the newest unread response of the client with the most, if that is another one and has more than its fair share, or, if
   * there is no room, more than the newcomer would have. False if there is none.
   */
  private cutOffUnread(newcomer: Identity, bytes: number): boolean {
    const isFull = this.bytesInFlight + bytes > this.maxBytes;
    let newest: MemoryShare | undefined;
    let most = 0;
    for (const share of this.unread) {
      const amount = this.inUse.of(share.identity, newcomer);
      const own = isFull ? this.inUse.of(newcomer, share.identity) + bytes : Infinity;
      if (amount < most || amount <= Math.min(own, this.fairBytes)) continue;
      newest = share;
      most = amount;
    }
    newest?.cutOff();
    return newest !== undefined;
  }

  private reservedUpTo(kind: MemoryKind): number {
    return kinds.slice(0, kinds.indexOf(kind) + 1).reduce((sum, each) => sum + this.reserved[each].total, 0);
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

  private onCutOff: (() => void) | undefined;

  /** Each identity releases the share once; whoever creates it is the first. */
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

  /** Lets the response of a read be cut off when others need its memory. */
  allowCutOff(onCutOff: () => void): void {
    this.onCutOff = onCutOff;
    this.budget.markUnread(this, this.reservedBytes);
  }

  cutOff(): void {
    this.onCutOff?.();
    this.free(this.reservedBytes);
  }

  retain(): void {
    this.references += 1;
  }

  /** Removes a identity; the last one frees the memory. */
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
