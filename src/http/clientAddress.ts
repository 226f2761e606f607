import { normalizeIP } from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';
import type { Peer } from '../service/transport/clientIdentity.js';

/** The client's address for limits: IPv6 by /64, because clients may choose the other 64 bits. */
export function clientAddress({ ip }: Pick<FastifyRequest, 'ip'>): string {
  return normalizeIP(ip);
}

/** Reads the address when it is first needed, because `FastifyRequest.ip` parses headers behind proxies. */
export class RequestPeer implements Peer {
  private read: string | undefined;

  constructor(private readonly request: { readonly ip: string | undefined }) {}

  /** Empty if it was not read before the client disconnected. */
  get address(): string {
    return (this.read ??= this.readAddress());
  }

  private readAddress(): string {
    const { ip } = this.request;
    return ip === undefined ? '' : clientAddress({ ip });
  }
}
