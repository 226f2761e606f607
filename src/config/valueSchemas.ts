/** Schemas for the values of environment variables. Every message states what was expected. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { readClientKeys, readTextFile } from '../domain/files.js';
import { isRecord } from '../domain/json.js';
import { hasGuidPlaceholder, MAX_PATH_LENGTH, parsePathTemplate } from '../domain/parameters.js';
import { parseOperationManifest } from '../graphql/persistedOperations.js';
import { parseRedisUrl } from '../redis/address.js';

/** A text that `parse` converts. The message of an error that it throws is the problem. */
function parsed<Value>(parse: (text: string) => Value) {
  return z.string().transform((text, context) => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue((error as Error).message);
      return z.NEVER;
    }
  });
}

/** The value is not in the message because it may contain a password. */
function httpUrl(error: string) {
  return z.url({ protocol: /^https?$/, error }).transform((text) => new URL(text));
}

const SERVICE_URL_EXPECTED = 'expected an http or https URL without credentials, query or fragment';
export const ServiceUrl = httpUrl(SERVICE_URL_EXPECTED)
  .refine(({ username, password, search, hash }) => `${username}${password}${search}${hash}` === '', {
    error: SERVICE_URL_EXPECTED,
    abort: true,
  })
  .refine(({ pathname }) => pathname.length <= MAX_PATH_LENGTH, {
    error: `expected a URL with a path of at most ${MAX_PATH_LENGTH} characters`,
  });

export const HttpUrl = httpUrl('expected a URL that starts with http:// or https://');

/** May have a query, as Azure AD B2C uses; fetch accepts no credentials in it. */
export const JwksUrl = HttpUrl.refine(({ username, password }) => username === '' && password === '', {
  error: 'expected a URL without credentials',
});

export const PathTemplate = parsed(parsePathTemplate);
export const Path = PathTemplate.refine((path) => !hasGuidPlaceholder(path), {
  error: expected('a path without a placeholder'),
  abort: true,
}).refine((path) => !path.includes('?'), { error: expected('a path without a query') });
/** A path that ends with `?` if the parameters of its call are in the query. */
export const ShipmentPath = parsed((text) => {
  if (/\?./s.test(text))
    throw new Error(
      `expected a path with a question mark only at its end, if its parameters are in the query, got ${JSON.stringify(text)}`,
    );
  const [issue] = Path.safeParse(text.replace('?', '')).error?.issues ?? [];
  if (issue) throw new Error(issue.message);
  return text;
});

export function enumOf<const Words extends readonly string[]>(...words: Words) {
  const all = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  return z.enum(words, { error: expected(all) });
}

export const BooleanString = enumOf('true', 'false').transform((text) => text === 'true');
/** The interface document has two spellings, and reads of other words would not recognize stop level. */
export const StopLevelSpelling = matching(/^stopLevel$/i, 'stopLevel in any letter case');
export const ParameterName = matching(/^\w+$/, 'a name of letters, digits and underscores');

/** Names in which two underscores follow each other belong to GraphQL and to Federation; a long name would not be compiled. */
export const TypePrefix = matching(
  /^(?=.{1,32}$)[A-Za-z](?:_?[A-Za-z\d])*_?$/,
  'a prefix of at most 32 letters, digits and single underscores that starts with a letter',
);

export const JsonObjectString = parsed((text) => {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // The parser's message would quote secrets in the value.
  }
  throw new Error('expected a JSON object, in single quotes where a shell reads it, and only there');
});

/** Set by the gateway itself, or reserved for a connection (RFC 9110 §7.6.1). With Expect, undici sends nothing. */
const RESERVED_HEADER =
  /^(?:accept|accept-encoding|authorization|cache-control|connection|content-length|content-type|expect|host|idempotency-key|keep-alive|proxy-.*|te|traceparent|tracestate|trailer|transfer-encoding|upgrade|x-request-id)$/;

/** Headers by their names in lower case. */
export const Headers = JsonObjectString.transform((given, context) => {
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(given)) {
    const key = name.toLowerCase();
    const problem = headers.has(key) ? 'expected each name once' : headerProblem(key, value);
    // The value is not in the message because it is a secret.
    if (problem !== undefined) context.addIssue(`${JSON.stringify(name)}: ${problem}`);
    headers.set(key, String(value));
  }
  return Object.fromEntries(headers);
});

/** Syntax of RFC 9110 §5.1 and §5.5. */
function headerProblem(name: string, value: unknown): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return 'expected a name that HTTP permits';
  if (RESERVED_HEADER.test(name))
    return 'expected a header that the gateway does not set itself and HTTP does not reserve';
  if (typeof value !== 'string') return 'expected a string';
  if (!/^(?:[!-~\u0080-\u00ff](?:[\t -~\u0080-\u00ff]*[!-~\u0080-\u00ff])?)?$/.test(value))
    return 'expected a value that HTTP permits: no line ends, no white space around it, no characters beyond Latin-1';
  return undefined;
}

/** The certificate that the gateway presents to the service (mutual TLS). After it, the text may have the certificates of its issuers. */
export const Certificate = parsed((text) => {
  const { validFrom, validTo } = readPem('CERTIFICATE', 'certificate', () => new X509Certificate(text));
  const [from, to] = [new Date(validFrom), new Date(validTo)];
  const now = new Date();
  if (from <= now && now < to) return text;
  const problem = from > now ? `is not valid before ${from.toISOString()}` : `expired on ${to.toISOString()}`;
  throw new Error(`expected a certificate that is valid now; this one ${problem}`);
});

export const PrivateKey = parsed((text) => {
  readPem('PRIVATE KEY', 'private key without a passphrase', () => createPrivateKey(text));
  return text;
});

/** The messages of OpenSSL say nothing to an operator. */
export function readPem<Value>(label: string, name: string, parse: () => Value): Value {
  try {
    return parse();
  } catch {
    throw new Error(`expected a ${name} in PEM format (-----BEGIN ${label}-----)`);
  }
}

/** One secret, or two with a space between them: while the second is replaced by the first, both are accepted. */
export const Secrets = z
  .string()
  // The value is not in the message because it is a secret.
  .regex(/^[!-~]{16,}(?: +[!-~]{16,})?$/, {
    error: 'expected at least 16 visible ASCII characters, or two such secrets with a space between them',
  })
  .transform((text) => text.split(/ +/));

/** Origins as browsers send them. With `*.` before its host, one stands for its subdomains. */
export const Origins = parsed((text) => {
  const origins = text.split(',').map((part) => part.trim());
  const invalid = origins.find((origin) => !isOrigin(origin));
  if (invalid === undefined)
    return origins.map((origin) => (origin.includes('*') ? subdomainsOf(origin) : origin));
  throw new Error(
    `expected origins such as https://app.example.com, separated by commas, got ${JSON.stringify(invalid)}`,
  );
});

/** Compared with its parts: URLs of apps and extensions, such as capacitor://localhost, have the origin `null`. */
function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, host } = new URL(text);
  return host !== '' && `${protocol}//${host}` === text && /^[^*]*(?::\/\/\*\.[^*]+)?$/.test(text);
}

function subdomainsOf(origin: string): RegExp {
  const [scheme = '', domain = ''] = origin.split('*').map((part) => part.replaceAll(/[^\w:/-]/g, '\\$&'));
  return new RegExp(`^${scheme}(?:[a-z\\d_-]+\\.)*[a-z\\d_-]+${domain}$`);
}

export const RateLimit = matching(/^[1-9]\d{0,8}\/[1-9]\d{0,4}s$/, 'a rate such as 600/60s').transform(
  (text) => {
    const [requests = 0, seconds = 0] = text.split(/\D/).map(Number);
    return { requests, windowMs: seconds * 1000 };
  },
);

const Network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);
const MAX_PROXIES = 10;

/** The number of proxies, or their networks. */
export const Proxies = parsed((text): number | string[] => {
  const count = integer(0, MAX_PROXIES).safeParse(text);
  if (count.success) return count.data;
  const networks = text.split(',').map((part) => part.trim());
  if (networks.every((network) => Network.safeParse(network).success)) return networks;
  throw new Error(
    `expected an integer from 0 to ${MAX_PROXIES}, or IP addresses and networks such as 10.0.0.0/8, got ${JSON.stringify(text)}`,
  );
});

export const Manifest = parsed((path) => parseOperationManifest(readTextFile(path)));

/** Reads the file once, at startup: each invalid line is a problem of the configuration. */
export const ClientKeysFile = parsed((path) => ({ path, keys: readClientKeys(path) }));

export const RedisUrl = parsed(parseRedisUrl);

/** Without a scheme it is a proxy over http, as for curl. A password with an unencoded slash would become a path. */
export const ProxyUrl = parsed((text) => {
  const withScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  try {
    const url = new URL(withScheme);
    decodeURIComponent(url.username + url.password); // throws unless they are percent-encoded
    if (/^https?:$/.test(url.protocol) && `${url.pathname}${url.search}${url.hash}` === '/') return url;
  } catch {
    // The parser's message would quote a password.
  }
  throw new Error(
    'expected an http or https proxy such as http://user:password@proxy.example.com:3128, with a percent-encoded password',
  );
});

/** As undici reads NO_PROXY: `*`, names with their subdomains, and addresses, each with a port or not; and networks, as other programs do. */
export const NoProxy = parsed((text) => (text.match(/[^\s,]+/g) ?? []).map(parseExclusion));

/** Throws an Error for an entry that can stand for no host. */
function parseExclusion(entry: string): (origin: URL) => boolean {
  if (entry === '*') return () => true;
  const network = networkOf(entry);
  if (network) return ({ hostname }) => network(hostname.replaceAll(/[[\]]/g, ''));
  const [, name = entry, port] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
  const bare = name.replace(/^\*?\./, '').replace(/\.$/, '');
  // As URLs have it: in lower case, with an IPv6 address in brackets.
  const domain = domainToASCII(isIP(bare) === 6 ? `[${bare}]` : bare);
  if (/[/?#%\\]/.test(bare) || !/^(?:[\w-]+(?:\.[\w-]+)*|\[.+\])$/.test(domain))
    throw new Error(
      `expected names, IP addresses and networks, separated by commas or spaces, got ${JSON.stringify(entry)}`,
    );
  return (origin) => {
    const isInDomain = `.${origin.hostname.replace(/\.$/, '')}`.endsWith(`.${domain}`);
    const ownPort = origin.port || (origin.protocol === 'https:' ? '443' : '80');
    return isInDomain && (port === undefined || port === ownPort);
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

export function integer(min: number, max: number) {
  const expectation = `an integer from ${min} to ${max}`;
  return matching(/^\d{1,15}$/, expectation)
    .transform(Number)
    .refine((number) => number >= min && number <= max, { error: expected(expectation) });
}

function matching(pattern: RegExp, expectation: string) {
  return z.string().regex(pattern, { error: expected(expectation) });
}

function expected(expectation: string) {
  return ({ input }: { input?: unknown }): string => `expected ${expectation}, got ${JSON.stringify(input)}`;
}
