import type { Client } from '../../../src/transport/queue.js';

/** A client with a token (null for none) and an address; by default, both are its name. */
export function clientNamed(
  name: string,
  { token = name, address = name }: { token?: string | null; address?: string } = {},
): Client {
  return {
    authorization: token === null ? undefined : `Bearer ${token}`,
    address,
  };
}
