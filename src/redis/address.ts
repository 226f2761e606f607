/** Parses REDIS_URL, and has the errors of a Redis that must not be used: all that is needed without the client. */

/** One endpoint, or the Sentinels that know the primary. */
export interface RedisAddress {
  /** A URL per host, which starts with `redis:` or `rediss:` and has the credentials. */
  readonly hosts: readonly [URL, ...URL[]];
  /** Name under which the Sentinels monitor the primary; undefined for one endpoint. */
  readonly primaryName: string | undefined;
}

export const NO_CLUSTER = 'use one Redis, or a primary with replicas, without cluster mode';

/** A password with an unencoded slash would become a path, which is shown: hence a path holds only the number of a database. */
const ENDPOINT = /^rediss?:\/\/([^/?#\s]*@)?[^@/?#\s,]+(\/\d*)?(\?[^#\s]*)?$/i;
const SENTINELS = /^(rediss?)\+sentinel:\/\/([^@/?#\s]*@)?([^@/?#\s]+)\/([\w.-]+)(\?[^#\s]*)?$/i;

/** Throws an error without the text, which may contain a password. */
export function parseRedisUrl(text: string): RedisAddress {
  if (/^rediss?\+cluster:/i.test(text))
    throw new Error(`expected redis:// or redis+sentinel://, got a Cluster: ${NO_CLUSTER}`);
  const [, scheme = '', credentials = '', hosts = '', primaryName, query = ''] = SENTINELS.exec(text) ?? [];
  // A URL has one host: those that commas separate become one URL each.
  const urls = hosts.split(',').map((host) => host && `${scheme}://${credentials}${host}${query}`);
  const [first, ...others] = primaryName === undefined && ENDPOINT.test(text) ? [text] : urls;
  if (!first || ![first, ...others].every((url) => URL.canParse(url)))
    throw new Error(
      'expected a URL such as redis://user:password@redis:6379/0 or redis+sentinel://user:password@host:26379,host2:26379/name (rediss for TLS), with a percent-encoded password',
    );
  return { hosts: [new URL(first), ...others.map((url) => new URL(url))], primaryName };
}

/** The gateway must not start with this Redis: it is of another form than REDIS_URL says, or could lose keys. */
export class MisconfiguredRedisError extends Error {
  override readonly name = 'MisconfiguredRedisError';
}

/** The primary did what the command says, and too few replicas have it. */
export class NotAcknowledgedError extends Error {
  override readonly name = 'NotAcknowledgedError';
}
