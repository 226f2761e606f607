/** Limits how many requests hold a large response in memory at once, with the result that is made of it; others wait for their turn. */
import type { Cancellation } from './cancellation.js';
import { createQueue, type Client, type Slot } from './queue.js';
import { GatewayError } from '../gatewayError.js';

/** Bytes of responses and results that a request may hold without a turn: nearly all hold less, and requests in flight are limited. */
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
    acquire: () => slots.find(({ holder }) => holder === undefined),
    release: () => queue.drain(),
  };
  const queue = createQueue({ pool, limit, queueLimit: Infinity }); // requests in flight are limited
  return queue;
}

interface ResponseMemoryOptions {
  readonly queue: LargeResponses;
  readonly client: Client;
  readonly cancellation: Cancellation;
  /** Bytes of the request's own target and body, which its result may repeat. */
  readonly requestBytes: number;
}

/** The memory that the responses to a request take, or to an item of one, or to a call. It has at most one turn, so that nobody who has one waits for another. */
export class ResponseMemory {
  /** Bytes of all bodies whose results are used, decompressed. */
  bytes = 0;
  /** Bytes of the largest of them: what is left of several calls is about as large as the body of one. */
  largest = 0;
  private turn: Turn | undefined;
  private waiting: Promise<void> | undefined;
  private isReleased = false;

  constructor(
    private readonly options: ResponseMemoryOptions,
    /** Requests that use the results, too. A turn of one of them is its turn, too. */
    readonly requests: ResponseMemory[] = [],
  ) {}

  /** For an item of this request, or for a call that others may join. */
  forPart(cancellation = this.options.cancellation): ResponseMemory {
    return new ResponseMemory({ ...this.options, cancellation }, [this]);
  }

  get requestBytes(): number {
    return this.options.requestBytes;
  }

  get hasTurn(): boolean {
    return this.turn !== undefined;
  }

  /** The result of a body of this size is used. */
  add(bytes: number): void {
    this.bytes += bytes;
    this.largest = Math.max(this.largest, bytes);
  }

  /** Undefined if this many bytes may be in memory, or else a promise of the turn to wait for. */
  hold(bytes = this.bytes): Promise<void> | undefined {
    if (bytes <= LARGE_BYTES || this.hasTurn || this.requests.some(({ hasTurn }) => hasTurn))
      return undefined;
    return (this.waiting ??= this.takeTurn());
  }

  /** The request uses the result of a call that it shares, whose turn it keeps until it ends. */
  adopt(call: ResponseMemory): Promise<void> | undefined {
    if (call.turn && !this.turn && !this.isReleased) {
      call.turn.users += 1;
      this.turn = call.turn;
    }
    this.add(call.bytes);
    return this.hold();
  }

  release(): void {
    const { turn } = this;
    this.isReleased = true;
    this.turn = undefined;
    if (turn === undefined) return;
    turn.users -= 1;
    if (turn.users === 0) this.options.queue.release(turn);
  }

  private async takeTurn(): Promise<void> {
    const { queue, client, cancellation } = this.options;
    try {
      const turn = await queue.take({ client, cancellation, deadline: performance.now() + MAX_WAIT_MS });
      if (this.isReleased || this.turn) queue.release(turn);
      else this.turn = Object.assign(turn, { users: 1 });
    } catch (cause) {
      throw new GatewayError('responseDiscarded', { cause });
    } finally {
      this.waiting = undefined;
    }
  }
}
