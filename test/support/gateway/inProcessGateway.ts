/** The gateway in the process of the tests, over HTTP on a free port: what the harnesses have in common. */
import { pino } from 'pino';
import { parseConfig, type Config } from '../../../src/config/config.js';
import { createGateway } from '../../../src/gateway.js';
import { productionEnv } from '../process/minimalEnv.js';

export type InProcessGateway = Awaited<ReturnType<typeof startInProcessGateway>>;

/** Values of the configuration instead of those that variables and rules give. */
export type ConfigOverrides = {
  readonly [Group in Exclude<keyof Config, 'SERVICE_URL'>]?: Partial<Config[Group]>;
};

export interface InProcessGatewayOptions {
  /** Environment variables. @default production without idempotency keys, with SERVICE_URL set to the service */
  env?: Readonly<Record<string, string>> | undefined;
  /** For what no variable sets, such as bounds that follow from other values. */
  config?: ConfigOverrides | undefined;
  /** Whether the gateway takes the service for its mock. @default false */
  usesMockService?: boolean | undefined;
  /** Whether a write of unknown outcome is followed by a read. A test whose faults are for the operation's own calls says false. @default true */
  readsBack?: boolean | undefined;
}

/** A service that does not stop with its gateway. */
export const shared = ({ url }: { url: string }) => ({ url, stop: () => Promise.resolve() });

/** Starts the gateway in front of a service, which stops with it. */
export async function startInProcessGateway(
  service: { url: string; stop(): Promise<void> },
  {
    env = {},
    config: overrides = {},
    usesMockService = false,
    readsBack = true,
  }: InProcessGatewayOptions = {},
) {
  /** The lines that the gateway logged, parsed. */
  const logLines: Record<string, unknown>[] = [];
  const write = (line: string) => logLines.push(JSON.parse(line) as Record<string, unknown>);
  const config = parseConfig({
    SERVICE_URL: service.url,
    PORT: '0',
    // With Redis, or outside of production, the store is the gateway's default.
    ...((env['REDIS_URL'] ?? env['NODE_ENV']) === undefined ? productionEnv : { NODE_ENV: 'production' }),
    // Most tests with fixed secrets are not about who uses them.
    ANONYMOUS_CLIENTS: 'allow',
    DRAIN_DELAY_MS: '0',
    ...env,
  });
  const gateway = await createGateway({
    config: {
      ...config,
      process: { ...config.process, ...overrides.process },
      // A busy machine must not shed load.
      http: { ...config.http, maxEventLoopDelayMs: Infinity, ...overrides.http },
      graphql: { ...config.graphql, ...overrides.graphql },
      subgraph: { ...config.subgraph, ...overrides.subgraph },
      service: {
        ...config.service,
        queueLimit: 256, // also for tests that allow few connections
        // Only tests of deadlines have one that a busy machine could miss.
        ...(env['SERVICE_TIMEOUT_MS'] === undefined && { timeoutMs: 25_000 }),
        ...(!readsBack && { readBackTimeoutMs: 0 }),
        ...overrides.service,
      },
      idempotency: { ...config.idempotency, ...overrides.idempotency },
      telemetry: { ...config.telemetry, ...overrides.telemetry },
    },
    log: pino({ level: 'trace' }, { write }),
    usesMockService,
  });
  return {
    /** URL of the GraphQL endpoint. */
    url: await gateway.listen(),
    logLines,
    async stop() {
      await gateway.stop();
      await service.stop();
    },
  };
}
