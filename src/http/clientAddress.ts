import { normalizeIP } from '@fastify/rate-limit';

/**
 * The client's address for limits: IPv6 by /64, because clients may choose the other 64 bits. Fastify has none, despite
 * its type, if the client has already disconnected.
 */
export function clientAddress({ ip = 'disconnected' }: { readonly ip?: string }): string {
  return normalizeIP(ip);
}
