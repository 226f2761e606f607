import type { clientOf } from '../../../src/http/request.js';

/** A client with a token (null for none) and an address; by default, both are its name. */
export function clientNamed(
  name: string,
  { token = name, address = name }: { token?: string | null; address?: string } = {},
): ReturnType<typeof clientOf> {
  return {
    authorization: token === null ? undefined : `Bearer ${token}`,
    keys: [token ?? `,${address}`, `@${address}`],
  };
}
