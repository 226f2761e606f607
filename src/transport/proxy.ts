/** Egress proxies: which one an origin is behind. */
import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/** As the variables of the same names have them. */
export interface ProxySettings {
  readonly httpProxy?: URL | undefined;
  readonly httpsProxy?: URL | undefined;
  readonly noProxy?: readonly Exclusion[] | undefined;
}

export interface Proxy {
  readonly origin: string;
  /** Host and port, for the log. */
  readonly address: string;
  /** Value of Proxy-Authorization; undefined for none. */
  readonly authorization: string | undefined;
}

/** The proxy for an origin; undefined if its connections are direct. */
export function proxyFor(
  origin: URL,
  { httpProxy, httpsProxy, noProxy = [] }: ProxySettings,
): Proxy | undefined {
  const url = origin.protocol === 'https:' ? httpsProxy : httpProxy;
  if (url === undefined || noProxy.some((excludes) => excludes(origin))) return undefined;
  return {
    origin: url.origin,
    address: `${url.hostname}:${portOf(url)}`,
    authorization: authorizationOf(url),
  };
}

/** Credentials of the URL of a proxy (RFC 7617). Throws a URIError if they are not percent-encoded. */
export function authorizationOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

/** An entry of NO_PROXY: whether it stands for an origin. */
export type Exclusion = (origin: URL) => boolean;

/**
 * Reads NO_PROXY as undici does, and networks, which other programs know: `*`, names with their subdomains, addresses, each of these with a
 * port or not. Throws an Error for an entry that can stand for no host.
 */
export function parseNoProxy(text: string): Exclusion[] {
  return text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(parseExclusion);
}

function parseExclusion(entry: string): Exclusion {
  if (entry === '*') return () => true;
  const network = networkOf(entry);
  if (network) return ({ hostname }) => network(hostname.replaceAll(/[[\]]/g, ''));
  const [, name = entry, port] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
  const bare = name.replace(/^\*?\./, '').replace(/\.$/, '');
  // As URLs have it: in lower case, with an IPv6 address in brackets.
  const domain = domainToASCII(isIP(bare) === 6 ? `[${bare}]` : bare);
  if (!/^(?:[\w-]+(?:\.[\w-]+)*|\[.+\])$/.test(domain))
    throw new Error(
      `expected names, IP addresses and networks, separated by commas or spaces, got ${JSON.stringify(entry)}`,
    );
  return (origin) => {
    const host = origin.hostname.replace(/\.$/, '');
    const isHost = host === domain || host.endsWith(`.${domain}`);
    return isHost && (port === undefined || port === portOf(origin));
  };
}

/** Tests whether an address is in a network such as 10.0.0.0/8; undefined if the text is not a network. */
function networkOf(text: string): ((address: string) => boolean) | undefined {
  const [, address = '', prefix] = /^(.+)\/(\d{1,3})$/.exec(text) ?? [];
  const family = isIP(address);
  if (family === 0 || Number(prefix) > (family === 4 ? 32 : 128)) return undefined;
  const network = new BlockList();
  network.addSubnet(address, Number(prefix), family === 4 ? 'ipv4' : 'ipv6');
  return (host) => isIP(host) !== 0 && network.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6');
}

export function portOf({ port, protocol }: Pick<URL, 'port' | 'protocol'>): string {
  return port || (protocol === 'https:' ? '443' : '80');
}
