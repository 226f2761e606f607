import dns from 'node:dns';

type Reply = (error: NodeJS.ErrnoException | null, addresses: dns.LookupAddress[]) => void;

/** Has a host name looked up by the function, in this process, instead of by the machine. */
export function stubDns(name: string, resolve: (reply: Reply) => void): { restore(): void } {
  const lookup = dns.lookup;
  const pretended = (host: string, options: dns.LookupAllOptions, callback: Reply) => {
    if (host === name) resolve(callback);
    else lookup(host, options, callback);
  };
  dns.lookup = pretended as typeof dns.lookup;
  return {
    restore() {
      dns.lookup = lookup;
    },
  };
}
