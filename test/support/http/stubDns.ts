import dns from 'node:dns';

type Reply = (error: NodeJS.ErrnoException | null, addresses: dns.LookupAddress[]) => void;

/** Stubs the DNS lookups of one host name in this process. */
export function stubDns(
  name: string,
  resolve: (reply: Reply, options: dns.LookupAllOptions) => void,
): { restore(): void } {
  const lookup = dns.lookup;
  const stub = (host: string, options: dns.LookupAllOptions, callback: Reply) => {
    if (host === name) resolve(callback, options);
    else lookup(host, options, callback);
  };
  dns.lookup = stub as typeof dns.lookup;
  return {
    restore() {
      dns.lookup = lookup;
    },
  };
}
