/** The forms of Redis as clients: one server, a primary that Sentinels name, and a Cluster. Who uses them does not know which it is. */
import { Cluster, Command, Redis, type RedisOptions } from 'ioredis';
import type { RedisAddress } from './address.js';
import type { Server } from './observers.js';
import { MisconfiguredRedisError, UnsuitableRedisError, type CountReplicas, type Info } from './primary.js';

export interface RedisForm {
  /** Sends commands to the primary of their key. */
  readonly redis: Redis | Cluster;
  /** The connections to the primaries that are known. */
  primaries(): Redis[];
  /** That of the primary which has the key. */
  primaryOf(key: string): Redis | undefined;
  /** Where the primary is, over a connection that is open. */
  serverOf(primary: Redis): Server;
  countReplicas: CountReplicas;
  /** New clients of the replicas that could be promoted, to be disconnected; none where nothing says how to reach them. */
  replicas(): Promise<Redis[]>;
  /** Calls the listener whenever `primaries()` may have changed. */
  onChange(listener: () => void): void;
  /** Looks for the primaries again. */
  search(): void;
  /** Why none of the hosts in REDIS_URL can be reached, if that is what the error says, without the reason. */
  explain(error: Error): Promise<Error | undefined> | undefined;
  /** That Redis has another form than REDIS_URL says, if an error or INFO shows it. */
  problemOf(evidence: Error | Info): MisconfiguredRedisError | undefined;
}

interface HostAndPort {
  host: string;
  port: number;
}

type NodeOptions = Pick<RedisOptions, 'username' | 'password' | 'tls'>;

const TIMEOUT_MS = 1000;
const retryStrategy = (times: number) => Math.min(times * 100, 2000);

/** Commands fail within a second. */
export const TIMEOUTS = { commandTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS } satisfies RedisOptions;

/** Of each connection: no command is sent a second time. */
const COMMANDS = {
  connectTimeout: TIMEOUT_MS,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  enableReadyCheck: false, // the test of a connection says more
} satisfies RedisOptions;

/** Commands fail at once while Redis is not connected. */
const CONNECTION = {
  ...COMMANDS,
  lazyConnect: true,
  enableOfflineQueue: false,
  retryStrategy,
} satisfies RedisOptions;

/**
 * Lua scripts that become commands of the client, and of its connections to primaries; and timeouts, where nothing watches the commands.
 */
export type FormOptions = Pick<RedisOptions, 'commandTimeout' | 'scripts' | 'socketTimeout'>;

export function createForm(address: RedisAddress, options: FormOptions): RedisForm {
  return { single: createSingle, sentinel: createSentinel, cluster: createCluster }[address.form](
    address,
    options,
  );
}

function createSingle({ hosts: [url] }: RedisAddress, options: FormOptions): RedisForm {
  const redis = new Redis(url.href, { ...CONNECTION, ...options });
  const { host: address, port } = hostAndPortOf(url, 6379);
  return {
    ...onePrimary(redis),
    serverOf: () => ({ address, port }),
    // Nothing says what became of replicas that are gone. One of them may have been promoted.
    countReplicas: (_primary, _info, { online, required }) =>
      Promise.resolve(required === 0 ? online : Math.max(1, online)),
    replicas: () => Promise.resolve([]),
    explain: () => undefined,
    problemOf: (evidence) => (evidence instanceof Error ? undefined : problemOfSingle(url, evidence)),
  };
}

function createSentinel({ hosts, primaryName: name }: RedisAddress, options: FormOptions): RedisForm {
  const [url] = hosts;
  const toNode = connectionTo(url);
  const { tls } = toNode;
  const toSentinel = {
    username: url.searchParams.get('sentinelUsername') ?? toNode.username,
    password: url.searchParams.get('sentinelPassword') ?? toNode.password,
    tls,
  };
  const sentinels = hosts.map((each) => hostAndPortOf(each, 26_379));
  const redis = new Redis({
    ...CONNECTION,
    ...toNode,
    ...options,
    name,
    sentinels,
    sentinelUsername: toSentinel.username,
    sentinelPassword: toSentinel.password,
    sentinelTLS: tls,
    enableTLSForSentinelMode: tls !== undefined,
    sentinelRetryStrategy: retryStrategy,
    sentinelCommandTimeout: TIMEOUT_MS,
  });
  /** What those Sentinels say that can be reached. */
  const askSentinels = async () => {
    const views = sentinels.map(async (server) => {
      const sentinel = createOnce({ ...toSentinel, ...server });
      try {
        return [await askSentinel(sentinel, name)];
      } catch {
        return [];
      } finally {
        sentinel.disconnect();
      }
    });
    return (await Promise.all(views)).flat();
  };
  let lastProblem = '';
  redis.on('sentinelError', ({ message }: Error) => (lastProblem = message));
  return {
    ...onePrimary(redis),
    serverOf: ({ stream }) => ({ address: stream.remoteAddress ?? '', port: stream.remotePort ?? 0 }),
    async replicas() {
      const [view] = await askSentinels();
      return (view?.replicas ?? []).map(({ address }) => createOnce({ ...toNode, ...address }));
    },
    async countReplicas({ redis: { stream } }, info, { online, required }) {
      const views = await askSentinels();
      const view = latestOf(views.filter(({ hasMajority }) => hasMajority));
      // Without a majority, the other Sentinels may have promoted any of the replicas.
      if (!view)
        return views.length > 0
          ? Math.max(...views.map(({ replicas }) => replicas.length))
          : Math.max(1, online, required);
      // Its run ID is known some seconds after a failover or a restart, and its address may be a name.
      if (view.primary.runId !== info['run_id'] && view.primary.address !== addressOf(stream))
        throw new UnsuitableRedisError('expected the primary that the Sentinels name, got another one');
      return view.replicas.filter(({ flags }) => !flags.includes('s_down')).length;
    },
    explain: (error) => (isUnreachable(error) ? explainConnections(toSentinel, sentinels) : undefined),
    problemOf(evidence) {
      if (!isUnreachable(evidence)) return undefined;
      if (/No such master|invalid reply/.test(lastProblem))
        return new MisconfiguredRedisError(`expected a name that the Sentinels monitor, got ${name}`);
      return /unknown command/i.test(lastProblem)
        ? wrongForm('Sentinels', 'a Redis server', urlOf('', url))
        : undefined;
    },
  };
}

function isUnreachable(evidence: Error | Info): boolean {
  return evidence instanceof Error && evidence.message.startsWith('All sentinels are unreachable');
}

function addressOf({ remoteAddress = '', remotePort = 0 }: Redis['stream']): string {
  return `${remoteAddress.replace('::ffff:', '')}:${remotePort}`;
}

type SentinelView = Awaited<ReturnType<typeof askSentinel>>;

/** What a Sentinel knows: the primary, its replicas, and whether it sees enough Sentinels to know what they have decided. */
async function askSentinel(sentinel: Redis, name: string) {
  const [announced, primary, replicas, hasMajority] = await Promise.all([
    sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name) as Promise<string[]>,
    sentinel.call('SENTINEL', 'MASTER', name) as Promise<string[]>,
    sentinel.call('SENTINEL', 'REPLICAS', name) as Promise<string[][]>,
    sentinel.call('SENTINEL', 'CKQUORUM', name).then(
      () => true,
      () => false,
    ),
  ]);
  const valueIn = (pairs: string[], field: string) => pairs[pairs.indexOf(field) + 1] ?? '';
  const address = announced.join(':');
  // The Sentinel that carries out a failover lists the old primary until the replicas have followed the new one.
  const isFailingOver = address !== `${valueIn(primary, 'ip')}:${valueIn(primary, 'port')}`;
  return {
    hasMajority,
    /** Number of the failover that made it the primary. */
    epoch: Number(valueIn(primary, 'config-epoch')),
    primary: { runId: isFailingOver ? '' : valueIn(primary, 'runid'), address },
    replicas: replicas.map((pairs) => ({
      address: { host: valueIn(pairs, 'ip'), port: Number(valueIn(pairs, 'port')) },
      flags: valueIn(pairs, 'flags').split(','),
    })),
  };
}

/**
 * The view of the last failover that most Sentinels share. If a failover is overtaken by one back to the old primary, the Sentinel that
 * carried it out goes on naming the replica that it had promoted, with the number of the later one: the others are right then.
 */
function latestOf(views: readonly SentinelView[]): SentinelView | undefined {
  const epoch = Math.max(...views.map((view) => view.epoch));
  const latest = views.filter((view) => view.epoch === epoch);
  const votesFor = ({ primary }: SentinelView) =>
    latest.filter((view) => view.primary.address === primary.address).length;
  return latest.toSorted((one, other) => votesFor(other) - votesFor(one))[0];
}

function createCluster({ hosts }: RedisAddress, options: FormOptions): RedisForm {
  const [url] = hosts;
  const toNode = connectionTo(url);
  const nodes = hosts.map((each) => hostAndPortOf(each, 6379));
  const cluster = new Cluster(nodes, {
    redisOptions: { ...COMMANDS, ...toNode, ...options },
    lazyConnect: true,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    clusterRetryStrategy: retryStrategy,
    slotsRefreshTimeout: TIMEOUT_MS,
    // A command whose connection is lost may have been executed.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    // Certificates have the names of hosts, not their addresses.
    ...(toNode.tls && { dnsLookup: (name, found) => found(null, name) }),
  });
  return {
    redis: cluster,
    primaries: () => cluster.nodes('master'),
    primaryOf(key) {
      const [primary] = cluster.slots[new Command('get', [key]).getSlot()] ?? [];
      return cluster.nodes('master').find((node) => `${node.options.host}:${node.options.port}` === primary);
    },
    serverOf(primary) {
      const { host, port } = addressOfNode(primary);
      return { address: host, port };
    },
    async countReplicas(primary) {
      const lines = String(await primary.watch(() => primary.redis.cluster('NODES')))
        .trim()
        .split('\n')
        .map((line) => line.split(' '));
      const [ownId] = lines.find(([, , flags]) => flags?.includes('myself')) ?? [];
      return lines.filter(
        ([, , flags = '', primaryId]) => primaryId === ownId && !flags.split(',').includes('fail'),
      ).length;
    },
    replicas: () =>
      Promise.resolve(
        cluster.nodes('slave').map((node) => createOnce({ ...toNode, ...addressOfNode(node) })),
      ),
    onChange: (listener) => void cluster.on('refresh', listener),
    search: () => cluster.refreshSlotsCache(),
    explain: () => explainConnections(toNode, nodes),
    problemOf(evidence) {
      const { lastNodeError } = evidence as { lastNodeError?: Error };
      const reason = lastNodeError?.message ?? '';
      if (reason.includes('cluster support disabled'))
        return wrongForm('nodes of a Cluster', 'a single Redis', urlOf('', url));
      return /unknown command/i.test(reason)
        ? wrongForm('nodes of a Cluster', 'a Sentinel', urlOf('+sentinel', url, '/name'))
        : undefined;
    },
  };
}

/** A client whose commands fail if it does not reach the server at once. */
function createOnce(to: NodeOptions & HostAndPort): Redis {
  const redis = new Redis({ ...to, ...COMMANDS, ...TIMEOUTS, retryStrategy: null });
  redis.on('error', () => undefined); // its commands fail
  return redis;
}

/** Why these servers cannot be reached, by connecting to each once; undefined if all can. */
async function explainConnections(
  to: NodeOptions,
  servers: readonly HostAndPort[],
): Promise<Error | undefined> {
  const reasons = servers.map(async (server) => {
    const redis = createOnce({ ...to, ...server });
    const reason = await new Promise<string | undefined>((resolve) => {
      redis.once('error', ({ message }: Error) => resolve(message));
      redis.once('ready', () => resolve(undefined));
    });
    redis.disconnect();
    return reason && `${server.host}:${server.port}: ${reason}`;
  });
  const found = (await Promise.all(reasons)).filter((reason) => reason !== undefined);
  return found.length > 0 ? new Error(`Could not connect to ${found.join(', ')}`) : undefined;
}

function onePrimary(redis: Redis) {
  return {
    redis,
    primaries: () => [redis],
    primaryOf: () => redis,
    onChange: () => undefined,
    search: () => undefined, // the client reconnects by itself
  };
}

/** A single Redis says of itself that it is a node of a Cluster, or a Sentinel. */
function problemOfSingle(url: URL, info: Info): MisconfiguredRedisError | undefined {
  if (info['redis_mode'] === 'cluster')
    return wrongForm('a single Redis', 'a node of a Cluster', urlOf('+cluster', url));
  if (info['redis_mode'] !== 'sentinel') return undefined;
  const [, name = 'name'] = /\bname=([^,]+)/.exec(info['master0'] ?? '') ?? [];
  return wrongForm('a single Redis', 'a Sentinel', urlOf('+sentinel', url, `/${name}`));
}

function wrongForm(expected: string, found: string, url: string): MisconfiguredRedisError {
  return new MisconfiguredRedisError(`expected ${expected}, got ${found}: use ${url}`);
}

/** A URL of another form for the same host, without the credentials. */
function urlOf(
  form: '' | '+sentinel' | '+cluster',
  { protocol, username, password, host }: URL,
  path = '',
): string {
  const credentials = username === '' && password === '' ? '' : '[hidden]@';
  return `${protocol.replace(':', `${form}:`)}//${credentials}${host}${path}`;
}

function addressOfNode({ options: { host = '', port = 6379 } }: Redis): HostAndPort {
  return { host, port };
}

function hostAndPortOf({ hostname, port }: URL, defaultPort: number): HostAndPort {
  return { host: hostname.replaceAll(/[[\]]/g, ''), port: port === '' ? defaultPort : Number(port) };
}

function connectionTo({ protocol, username, password }: URL) {
  return {
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    tls: protocol === 'rediss:' ? {} : undefined,
  };
}
