/** Where Redis is, as REDIS_URL says: one server, the Sentinels that know the primary, or nodes of a Cluster. */

export interface RedisAddress {
  readonly form: 'single' | 'sentinel' | 'cluster';
  /** A URL per host, which starts with `redis:` or `rediss:` and has the credentials. */
  readonly hosts: readonly [URL, ...URL[]];
  /** Name under which the Sentinels monitor the primary; empty in the other forms. */
  readonly primaryName: string;
}

/** What the JSON Schema says of the three forms. */
export const REDIS_URL_PATTERN = [
  '^rediss?://[^/?#\\s]+(?:/\\d*)?(?:\\?.*)?$',
  '^rediss?\\+sentinel://(?:[^@/?#\\s]*@)?[^@/?#,\\s]+(?:,[^@/?#,\\s]+)*/[\\w.-]+(?:\\?[^#\\s]*)?$',
  '^rediss?\\+cluster://(?:[^@/?#\\s]*@)?[^@/?#,\\s]+(?:,[^@/?#,\\s]+)*/?$',
].join('|');

const EXAMPLES = {
  single: 'redis://user:password@redis:6379/0',
  sentinel: 'redis+sentinel://user:password@host:26379,host2:26379/name',
  cluster: 'redis+cluster://user:password@host:6379,host2:6379',
} as const;

/** Throws an error without the text, which may contain a password. */
export function parseRedisUrl(text: string): RedisAddress {
  const [, scheme, form = 'single'] = /^(rediss?)(?:\+(sentinel|cluster))?:/i.exec(text) ?? [];
  if (scheme === undefined)
    throw new Error(
      'expected a URL that starts with redis://, redis+sentinel:// or redis+cluster://, or with rediss for TLS',
    );
  const lowerCaseForm = form.toLowerCase() as RedisAddress['form'];
  const address = lowerCaseForm === 'single' ? single(text) : several(lowerCaseForm, scheme, text);
  if (address) return address;
  throw new Error(`expected a URL such as ${EXAMPLES[lowerCaseForm]}, with a percent-encoded password`);
}

/** A password with an unencoded slash would become a path, which is shown: hence a path holds only the number of a database. */
function single(text: string): RedisAddress | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^\w+:\/\//.test(url.href) || url.host === '' || !/^\/?\d*$/.test(url.pathname))
    return undefined;
  return { form: 'single', hosts: [url], primaryName: '' };
}

/** A URL has one host: those that commas separate are parsed as one URL each. */
function several(form: 'sentinel' | 'cluster', scheme: string, text: string): RedisAddress | undefined {
  const [, credentials = '', hosts = '', primaryName = '', query = ''] =
    /^[^:]+:\/\/([^@/?#\s]*@)?([^@/?#\s]+)(?:\/([\w.-]*))?(\?[^#\s]*)?$/.exec(text) ?? [];
  const isComplete = form === 'sentinel' ? primaryName !== '' : primaryName === '' && query === '';
  const texts = hosts.split(',').map((host) => `${scheme}://${credentials}${host}${query}`);
  if (!isComplete || !texts.every((each) => URL.canParse(each) && new URL(each).host !== ''))
    return undefined;
  const [first, ...others] = texts.map((each) => new URL(each));
  return first && { form, hosts: [first, ...others], primaryName };
}
