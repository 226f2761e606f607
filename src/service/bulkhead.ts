/** A bound on the calls in flight, and on those that wait for their turn. */
import type { Departure } from './departure.js';
import { CallerLeftError, NotAdmittedError } from './errors.js';

export interface BulkheadOptions {
  /** Calls in flight at the most. */
  limit: number;
  /** Calls that wait at the most; a further one fails at once. */
  queueLimit: number;
}

export interface WaitBounds {
  /** Reading of performance.now() at which the wait ends. */
  deadline: number;
  callerLeft: Departure;
}

export interface Bulkhead {
  /** Waits for a place, first come, first served; what it gives has to be called to leave the place again. */
  enter(bounds: WaitBounds): Promise<() => void>;
}

export function createBulkhead({ limit, queueLimit }: BulkheadOptions): Bulkhead {
  let inFlight = 0;
  const waiting = new Set<() => void>();

  const leave = () => {
    const [next] = waiting;
    if (next === undefined) inFlight -= 1;
    else next();
  };

  return {
    enter({ deadline, callerLeft }) {
      if (inFlight < limit) {
        inFlight += 1;
        return Promise.resolve(leave);
      }
      if (waiting.size >= queueLimit) {
        return Promise.reject(
          new NotAdmittedError('Too many calls to the service are waiting', { retryAfterSeconds: 1 }),
        );
      }
      return new Promise((resolve, reject) => {
        const settle = (conclude: () => void) => {
          waiting.delete(proceed);
          clearTimeout(timer);
          callerLeft.unlisten(giveUp);
          conclude();
        };
        const proceed = () => {
          settle(() => {
            resolve(leave);
          });
        };
        const giveUp = () => {
          settle(() => {
            reject(new CallerLeftError('The caller left before its call was sent'));
          });
        };
        const expire = () => {
          settle(() => {
            reject(
              new NotAdmittedError('No place for the call within the deadline', { retryAfterSeconds: 1 }),
            );
          });
        };
        const timer = setTimeout(expire, deadline - performance.now());
        waiting.add(proceed);
        callerLeft.listen(giveUp);
        if (callerLeft.hasHappened) giveUp();
      });
    },
  };
}
