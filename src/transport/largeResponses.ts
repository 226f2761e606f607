/** Limits how many requests hold a large response in memory at once, with the result that is made of it; others wait for their turn. */
import type { Cancellation } from './cancellation.js';
import { createQueue, type Client, type Slot } from './queue.js';
import { GatewayError } from '../gatewayError.js';

/**
 * Bytes of responses and results that a request may have without a turn. Nearly every request has less; their number is limited, and so is
 * what they take together.
 */
export const LARGE_BYTES = 16_384;

/** Maximum time in milliseconds for which a response that was read waits for a turn. */
const MAX_WAIT_MS = 30_000;

export type LargeResponses = ReturnType<typeof createLargeResponses>;

/** Creates the queue for turns. `limit` is the maximum of requests at a time that have a large response. */
export function createLargeResponses(limit: number) {
  const slots = Array.from({ length: limit }, (): Slot => ({ holder: undefined }));
  const pool = {
    slots,
    acquire: () => slots.find(({ holder }) => holder === undefined),
    release: () => queue.drain(),
  };
  const queue = createQueue({ pool, limit, queueLimit: Infinity }); // requests in flight are limited
  return queue;
}

export interface ResponseMemoryOptions {
  readonly queue: LargeResponses;
  readonly client: Client;
  readonly cancellation: Cancellation;
  /** Bytes of the request's own target and body, which its result may repeat. */
  readonly requestBytes: number;
}

/** The memory that the responses to a request, or to one of its REST calls, take. It has at most one turn, so that nobody who has one waits for another. */
export class ResponseMemory {
  private bodyBytes = 0;
  private largestBytes = 0;
  private slot: Slot | undefined;
  private turn: Promise<void> | undefined;
  private references = 1;
  /** Calls whose turn this request uses. */
  private calls: ResponseMemory[] | undefined;

  constructor(
    private readonly options: ResponseMemoryOptions,
    /** Requests that wait for this call. A turn of one of them is its turn, too. */
    private readonly requests: readonly ResponseMemory[] = [],
  ) {}

  /** For a REST call of this request. */
  forCall(): ResponseMemory {
    return new ResponseMemory(this.options, [this]);
  }

  /** For a REST call that several requests share. */
  forSharedCall(cancellation: Cancellation, requests: readonly ResponseMemory[]): ResponseMemory {
    return new ResponseMemory({ ...this.options, cancellation }, requests);
  }

  /** Bytes of all bodies that were read, decompressed. */
  get bytes(): number {
    return this.bodyBytes;
  }

  /** Bytes of the largest of them: what is left of several calls is about as large as the body of one. */
  get largest(): number {
    return this.largestBytes;
  }

  get requestBytes(): number {
    return this.options.requestBytes;
  }

  get hasTurn(): boolean {
    return this.slot !== undefined || this.calls !== undefined;
  }

  /** A body has this size so far. Undefined if it may be kept, or else a promise of the turn to wait for. */
  grow(bytes: number): Promise<void> | undefined {
    this.bodyBytes = bytes;
    return this.hold(bytes);
  }

  /** The request has read this much more. Undefined if that may be kept, or else a promise of the turn to wait for. */
  add(bytes: number): Promise<void> | undefined {
    this.bodyBytes += bytes;
    return this.hold(this.bodyBytes);
  }

  /** Undefined if the request may have this many bytes in memory, or else a promise of the turn to wait for. */
  hold(bytes: number): Promise<void> | undefined {
    if (bytes <= LARGE_BYTES || this.hasTurn || this.requests.some(({ hasTurn }) => hasTurn))
      return undefined;
    return this.turn ?? this.takeTurn();
  }

  /**
   * The request uses the result of a call, whose turn it keeps until it ends. Never waits for the result of a write, which has taken
   * effect.
   */
  adopt(call: ResponseMemory, { isRead }: { isRead: boolean }): Promise<void> | undefined {
    if (call.hasTurn && this.references > 0) {
      call.references += 1;
      (this.calls ??= []).push(call);
    }
    this.largestBytes = Math.max(this.largestBytes, call.bodyBytes);
    if (isRead) return this.add(call.bodyBytes);
    this.bodyBytes += call.bodyBytes;
    return undefined;
  }

  /** Called once by each that uses it. */
  release(): void {
    this.references -= 1;
    if (this.references > 0) return;
    for (const call of this.calls ?? []) call.release();
    this.calls = undefined;
    if (this.slot !== undefined) this.options.queue.release(this.slot);
    this.slot = undefined;
  }

  private takeTurn(): Promise<void> | undefined {
    const { queue, client, cancellation } = this.options;
    const slot = queue.take({ client, cancellation, deadline: performance.now() + MAX_WAIT_MS });
    if (!(slot instanceof Promise)) {
      this.keep(slot);
      return undefined;
    }
    this.turn = slot.then(
      (taken) => this.keep(taken),
      (cause: unknown) => {
        throw new GatewayError('responseDiscarded', { cause });
      },
    );
    return this.turn;
  }

  private keep(slot: Slot): void {
    if (this.references > 0) this.slot = slot;
    else this.options.queue.release(slot);
  }
}
