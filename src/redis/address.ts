/** Parses REDIS_URL, and has the errors of a Redis that cannot or must not be used: all that is needed without the client. */

/** One endpoint, or the Sentinels that know the primary. */
export interface RedisAddress {
  /** A URL per host, which starts with `redis:` or `rediss:` and has the credentials. */
  readonly hosts: readonly [URL, ...URL[]];
  /** Name under which the Sentinels monitor the primary; undefined for one endpoint. */
  readonly primaryName: string | undefined;
}

export const NO_CLUSTER = 'use one Redis, or a primary with replicas, without cluster mode';

/** Throws an error without the text, which may contain a password. */
export function parseRedisUrl(text: string): RedisAddress {
  const [, scheme, form] = /^(rediss?)(?:\+(sentinel|cluster))?:/i.exec(text.toLowerCase()) ?? [];
  if (scheme === undefined)
    throw new Error('expected a URL that starts with redis:// or redis+sentinel://, or with rediss for TLS');
  if (form === 'cluster')
    throw new Error(`expected redis:// or redis+sentinel://, got a Cluster: ${NO_CLUSTER}`);
  const address = form === undefined ? parseEndpoint(text) : parseSentinels(scheme, text);
  if (address) return address;
  const example =
    form === undefined
      ? 'redis://user:password@redis:6379/0'
      : 'redis+sentinel://user:password@host:26379,host2:26379/name';
  throw new Error(`expected a URL such as ${example}, with a percent-encoded password`);
}

/** A password with an unencoded slash would become a path, which is shown: hence a path holds only the number of a database. */
function parseEndpoint(text: string): RedisAddress | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^\w+:\/\//.test(url.href) || url.host === '' || !/^\/?\d*$/.test(url.pathname))
    return undefined;
  return { hosts: [url], primaryName: undefined };
}

/** A URL has one host: those that commas separate are parsed as one URL each. */
function parseSentinels(scheme: string, text: string): RedisAddress | undefined {
  const [, credentials = '', hosts = '', primaryName = '', query = ''] =
    /^[^:]+:\/\/([^@/?#\s]*@)?([^@/?#\s]+)\/([\w.-]+)(\?[^#\s]*)?$/.exec(text) ?? [];
  const texts = hosts.split(',').map((host) => `${scheme}://${credentials}${host}${query}`);
  if (!texts.every((each) => URL.canParse(each) && new URL(each).host !== '')) return undefined;
  const [first, ...others] = texts.map((each) => new URL(each));
  return first && { hosts: [first, ...others], primaryName };
}

/** Redis can be reached but must not be used until its operator has changed something, which the log says during an outage too. */
export class UnsuitableRedisError extends Error {
  override readonly name: string = 'UnsuitableRedisError';
}

/** The gateway must not start with this Redis: it is of another form than REDIS_URL says, or could lose keys. */
export class MisconfiguredRedisError extends UnsuitableRedisError {
  override readonly name = 'MisconfiguredRedisError';
}

/** The primary did what the command says, and too few replicas have it. */
export class NotAcknowledgedError extends UnsuitableRedisError {
  override readonly name = 'NotAcknowledgedError';
}

/** The command was not sent. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';
}
