import { normalizeIP } from '@fastify/rate-limit';
import type { Peer } from '../transport/clientIdentity.js';

/**
 * The client's address for limits: IPv6 by /64, because clients may choose the other 64 bits. Fastify has none, despite
 * its type, if the client has already disconnected.
 */
export function clientAddress({ ip = 'disconnected' }: { readonly ip?: string }): string {
  return normalizeIP(ip);
}

/** Reads the address when it is first needed, because `FastifyRequest.ip` parses headers behind proxies. */
export class RequestPeer implements Peer {
  private cached: string | undefined;

  constructor(private readonly request: { readonly ip: string }) {}

  get address(): string {
    return (this.cached ??= clientAddress(this.request));
  }
}
