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

/** A place in memory, for a request and those of its calls whose results it uses. */
interface Turn extends Slot {
  users: number;
}

/** Creates the queue for turns. `limit` is the maximum of requests at a time that have a large response. */
export function createLargeResponses(limit: number) {
  const slots = Array.from({ length: limit }, (): Turn => ({ holder: undefined, users: 0 }));
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
  /** Bytes of all bodies that were read, decompressed. */
  bytes = 0;
  /** Bytes of the largest of them: what is left of several calls is about as large as the body of one. */
  largest = 0;
  private turn: Turn | undefined;
  private waiting: Promise<void> | undefined;
  private isReleased = false;

  constructor(
    private readonly options: ResponseMemoryOptions,
    /** Requests that wait for this call. A turn of one of them is its turn, too. */
    private readonly requests: readonly ResponseMemory[] = [],
  ) {}

  /** For a REST call of this request, or one that several requests share. */
  forCall(
    requests: readonly ResponseMemory[] = [this],
    cancellation = this.options.cancellation,
  ): ResponseMemory {
    return new ResponseMemory({ ...this.options, cancellation }, requests);
  }

  get requestBytes(): number {
    return this.options.requestBytes;
  }

  get hasTurn(): boolean {
    return this.turn !== undefined;
  }

  /** A body has this size so far. Undefined if it may be kept, or else a promise of the turn to wait for. */
  grow(bytes: number): Promise<void> | undefined {
    this.bytes = bytes;
    return this.hold(bytes);
  }

  /** The request has read this much more. Undefined if that may be kept, or else a promise of the turn to wait for. */
  add(bytes: number): Promise<void> | undefined {
    this.bytes += bytes;
    return this.hold(this.bytes);
  }

  /** Undefined if the request may have this many bytes in memory, or else a promise of the turn to wait for. */
  hold(bytes: number): Promise<void> | undefined {
    if (bytes <= LARGE_BYTES || this.hasTurn || this.requests.some(({ hasTurn }) => hasTurn))
      return undefined;
    return this.waiting ?? this.takeTurn();
  }

  /**
   * The request uses the result of a call, whose turn it keeps until it ends. Never waits for the result of a write, which has taken
   * effect.
   */
  adopt(call: ResponseMemory, { isRead }: { isRead: boolean }): Promise<void> | undefined {
    if (call.turn && !this.turn && !this.isReleased) {
      call.turn.users += 1;
      this.turn = call.turn;
    }
    this.largest = Math.max(this.largest, call.bytes);
    if (isRead) return this.add(call.bytes);
    this.bytes += call.bytes;
    return undefined;
  }

  release(): void {
    const { turn } = this;
    this.isReleased = true;
    this.turn = undefined;
    if (turn === undefined) return;
    turn.users -= 1;
    if (turn.users === 0) this.options.queue.release(turn);
  }

  private takeTurn(): Promise<void> | undefined {
    const { queue, client, cancellation } = this.options;
    const turn = queue.take({ client, cancellation, deadline: performance.now() + MAX_WAIT_MS });
    if (!(turn instanceof Promise)) {
      this.keep(turn);
      return undefined;
    }
    this.waiting = turn.then(
      (taken) => this.keep(taken),
      (cause: unknown) => {
        throw new GatewayError('responseDiscarded', { cause });
      },
    );
    return this.waiting;
  }

  private keep(turn: Turn): void {
    if (this.isReleased || this.turn) {
      this.options.queue.release(turn);
      return;
    }
    turn.users = 1;
    this.turn = turn;
  }
}
