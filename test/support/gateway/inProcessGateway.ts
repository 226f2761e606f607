/** The gateway in the process of the tests, over HTTP on a free port: what the harnesses have in common. */
import { pino } from 'pino';
import { parseConfig } from '../../../src/config/config.js';
import { createGateway } from '../../../src/gateway.js';

/** The bearer token that requests send by default. Its characters are all that RFC 6750 permits. */
export const TOKEN = 'a-token.of~the_client+/==';

export interface InProcessGateway {
  /** URL of the GraphQL endpoint. */
  readonly url: string;
  /** The lines that the gateway logged, parsed. */
  readonly logLines: Record<string, unknown>[];
  stop(): Promise<void>;
}

/** The default of READ_BACK_TIMEOUT_MS, for tests of what the gateway does after a write of unknown outcome. */
export const WITH_READ_BACK = { READ_BACK_TIMEOUT_MS: '' };

/**
 * Starts the gateway in front of a service, which stops with it. Environment variables override its defaults. Unless they set
 * READ_BACK_TIMEOUT_MS, a write of unknown outcome is not followed by a read: most tests are about the calls of the operation
 * itself, count them, and have faults for these alone.
 */
export async function startInProcessGateway(
  service: { url: string; stop(): Promise<void> },
  env: Readonly<Record<string, string>> = {},
  usesMockService = false,
): Promise<InProcessGateway> {
  const logLines: Record<string, unknown>[] = [];
  const write = (line: string) => {
    logLines.push(JSON.parse(line) as Record<string, unknown>);
  };
  const { SERVICE_URL = new URL(service.url), ...config } = parseConfig({
    SERVICE_URL: service.url,
    PORT: '0',
    NODE_ENV: 'production',
    DRAIN_DELAY_MS: '0',
    MAX_EVENT_LOOP_DELAY_MS: '60000', // a busy machine must not shed load
    READ_BACK_TIMEOUT_MS: '0',
    ...env,
  });
  const gateway = await createGateway({
    config: { ...config, SERVICE_URL },
    log: pino({ level: 'trace' }, { write }),
    usesMockService,
  });
  return {
    url: await gateway.listen(),
    logLines,
    async stop() {
      await gateway.stop();
      await service.stop();
    },
  };
}
