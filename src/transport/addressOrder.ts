/** Name resolution that spreads connections over all addresses of a name. */
import dns, { type LookupAddress, type LookupOptions } from 'node:dns';

/** As `lookup` of net.connect() expects it. */
type Callback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/**
 * dns.lookup() with the addresses of each family in random order: getaddrinfo() sorts them (RFC 6724), so one could get all
 * connections. The preferred family stays the first. If an address does not respond, Node tries the next one.
 */
export function lookupShuffled(hostname: string, options: LookupOptions, callback: Callback): void {
  dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) {
      callback(error, []);
      return;
    }
    const shuffled = shuffle(addresses);
    if (options.all) callback(null, shuffled);
    else callback(null, shuffled[0]?.address ?? '', shuffled[0]?.family);
  });
}

function shuffle(addresses: readonly LookupAddress[]): LookupAddress[] {
  const families = addresses.map(({ family }) => family);
  return addresses
    .map((address) => ({ address, rank: families.indexOf(address.family) + Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ address }) => address);
}
