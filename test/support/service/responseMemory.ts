import { Cancellation } from '../../../src/transport/cancellation.js';
import { createLargeResponses, ResponseMemory } from '../../../src/transport/largeResponses.js';
import { clientNamed } from './callClients.js';

/** The memory of a request of a client, without others that have large responses unless they share the queue. */
export function memoryOf(name = 'ann', queue = createLargeResponses(3)): ResponseMemory {
  const cancellation = new Cancellation();
  return new ResponseMemory({ queue, client: clientNamed(name), cancellation, requestBytes: 0 });
}
