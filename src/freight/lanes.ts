/** Lanes: how many items of lists may be in flight, of one client and of all. Calls outside of lists find the other connections free. */
import type { ClientIdentity } from '../transport/calls.js';
import { createFairQueue, type Accounts, type QueuedCall } from '../transport/fairQueue.js';
import { FAIR_SHARE } from '../transport/shares.js';

export type Lanes = ReturnType<typeof createLanes>;

/** A list that waits for a lane. */
interface WaitingList extends QueuedCall<WaitingList> {
  wake(): void;
}

/** Held by an item in flight. */
export type Lane = Accounts<WaitingList>;

/** @param connections maximum calls in flight, of which all lists may hold three quarters, and the lists of one client a quarter */
export function createLanes(connections: number) {
  const perClient = Math.ceil(connections * FAIR_SHARE);
  const max = Math.max(1, Math.floor(connections * (1 - FAIR_SHARE)));
  const queue = createFairQueue<WaitingList>(perClient);
  let inUse = 0;

  const isFreeFor = ({ token, address }: Lane) =>
    inUse < max && token.inUse < perClient && address.inUse < perClient;
  /** The next one is beyond its share only if all are. */
  const wakeNext = () => {
    for (let next = queue.next(); next && isFreeFor(next.accounts); next = queue.next()) {
      queue.endTurn(next);
      queue.remove(next);
      next.wake();
    }
  };

  return {
    /** Maximum for the lists of one token, and for the lists of one address. */
    perClient,
    /** The lanes as one list of a client sees them. `onFree` is called once one may be free, after `take` had none. */
    forList(client: ClientIdentity, onFree: () => void) {
      let waiting: WaitingList | undefined;
      const wake = () => {
        waiting = undefined;
        onFree();
      };
      return {
        take(): Lane | undefined {
          const accounts = queue.accountsOf(client);
          if (isFreeFor(accounts)) {
            inUse += 1;
            queue.take(accounts);
            return accounts;
          }
          if (!waiting) queue.add((waiting = { client, accounts, wake }));
          return undefined;
        },
        release(lane: Lane): void {
          inUse -= 1;
          queue.release(lane);
          wakeNext();
        },
        /** No longer waits for one. */
        leave(): void {
          if (waiting) queue.remove(waiting);
          waiting = undefined;
        },
      };
    },
  };
}
