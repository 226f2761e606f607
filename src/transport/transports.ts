/** One transport per origin: calls to the same origin share connections, queue, circuit breaker and retry budget. */
import { deduplicate } from './deduplication.js';
import { createTransport, type Transport, type TransportLoad, type TransportOptions } from './transport.js';

export interface Transports {
  /** The transport for the origin of a URL. */
  to: (url: URL) => Transport;
  /** Of every origin. */
  load: () => TransportLoad[];
  /** Waits for the calls in flight. */
  stop: () => Promise<void>;
}

export function createTransports(options: Omit<TransportOptions, 'origin'>): Transports {
  const transports = new Map<string, Transport>();
  return {
    to({ origin }) {
      const existing = transports.get(origin);
      if (existing) return existing;
      const transport = createTransport({ ...options, origin });
      const deduplicating = { ...transport, send: deduplicate(transport.send, options.observer) };
      transports.set(origin, deduplicating);
      return deduplicating;
    },
    load: () => [...transports.values()].map((transport) => transport.load()),
    async stop() {
      await Promise.all([...transports.values()].map((transport) => transport.stop()));
    },
  };
}
