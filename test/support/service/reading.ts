import { Cancellation } from '../../../src/transport/cancellation.js';
import { createLargeResponses, Reading, type LargeResponses } from '../../../src/transport/largeResponses.js';
import { clientNamed } from './callClients.js';

/** What a request of a client reads, without others that have large responses unless they share the queue. */
export function readingOf(
  name = 'ann',
  queue: LargeResponses = createLargeResponses(3),
  cancellation = new Cancellation(),
): Reading {
  return new Reading({ queue, client: clientNamed(name), cancellation, requestBytes: 0 });
}
