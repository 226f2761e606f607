import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';

/** The client's address for limits: IPv6 by /64, because clients may choose the other 64 bits. */
export function clientAddress({ ip }: Pick<FastifyRequest, 'ip'>): string {
  return normalizeIP(ip);
}
