/** A bound on the calls in flight, and on those that wait for their turn. */
import type { Departure } from './departure.js';
import { CallerLeftError, NotAdmittedError } from './errors.js';

/** What calls in flight take up, each a place of its own. */
export interface Places<Place> {
  /** A place that is free; undefined when there is none for now. */
  acquire(): Place | undefined;
  release(place: Place): void;
}

export interface BulkheadOptions<Place> {
  places: Places<Place>;
  /** Places, and so calls in flight, at the most. */
  limit: number;
  /** Calls beyond the limit that wait at the most; a further one fails at once. */
  queueLimit: number;
}

export interface WaitBounds {
  /** Reading of performance.now() at which the wait ends. */
  deadline: number;
  callerLeft: Departure;
}

export interface Bulkhead<Place> {
  /** Waits for a place, first come, first served. */
  enter(bounds: WaitBounds): Promise<Place>;
  /** Gives a place back. */
  leave(place: Place): void;
  /** Lets calls in that wait, as far as there are places: to be called whenever one has become free. */
  admit(): void;
}

export function createBulkhead<Place>({
  places,
  limit,
  queueLimit,
}: BulkheadOptions<Place>): Bulkhead<Place> {
  let inFlight = 0;
  const waiting = new Set<(place: Place) => void>();

  const take = () => {
    const place = places.acquire();
    if (place !== undefined) inFlight += 1;
    return place;
  };

  return {
    admit() {
      for (const proceed of waiting) {
        const place = take();
        if (place === undefined) return;
        proceed(place);
      }
    },
    leave(place) {
      inFlight -= 1;
      places.release(place);
    },
    enter({ deadline, callerLeft }) {
      const place = take();
      if (place !== undefined) return Promise.resolve(place);
      if (inFlight + waiting.size >= limit + queueLimit) {
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
        const proceed = (free: Place) => {
          settle(() => {
            resolve(free);
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
