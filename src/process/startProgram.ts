import { ConfigError, type Config, type Environment } from '../config/config.js';
import { findMisspelledVariables, findRemovedVariables } from '../config/unknownVariables.js';
import { createGateway, type GatewayOptions } from '../gateway.js';
import { startEmbeddedService } from './embeddedService.js';
import { createLogger } from './logger.js';
import { portProblem } from './portProblem.js';
import { stopOnSignals } from './signals.js';
import { addressMessage, welcomeMessage } from './welcome.js';

/** Runs the gateway until a signal; exits with code 1 if it does not start. */
export async function startProgram(config: Config, environment: Environment): Promise<void> {
  const log = await createLogger(config.process.logLevel);
  for (const misspelled of findMisspelledVariables(environment))
    log.warn(misspelled, 'Unknown environment variable');
  for (const removed of findRemovedVariables(environment)) log.warn(removed, 'Removed environment variable');
  try {
    const embeddedService = config.SERVICE_URL === undefined ? await startEmbeddedService() : undefined;
    const serviceUrl = config.SERVICE_URL ?? new URL(embeddedService?.url ?? '');
    const starting = start({
      config: { ...config, SERVICE_URL: serviceUrl },
      log,
      usesMockService: embeddedService !== undefined,
    });
    // Before the gateway has started: a signal that arrives meanwhile stops it as soon as it has.
    stopOnSignals(log, async (signal) => {
      const { gateway } = await starting;
      await gateway.stop(signal === 'SIGINT' ? { drainDelayMs: 0 } : {}); // no load balancer waits for Ctrl-C
      await embeddedService?.stop();
    });
    const { url } = await starting;
    // In production, stdout holds log lines only.
    if (!config.process.isProduction) {
      const message = embeddedService ? welcomeMessage : addressMessage;
      const addresses = { url, serviceUrl: embeddedService?.url ?? serviceUrl.href };
      process.stdout.write(`${message({ ...addresses, explorerEnabled: config.http.explorerEnabled })}\n`);
    }
  } catch (error) {
    const problem = error instanceof ConfigError ? error.message : portProblem(error, config);
    if (problem === undefined) log.fatal({ err: error }, 'The gateway failed to start');
    else process.stderr.write(`${problem}\n`);
    process.exit(1);
  }
}

async function start(options: GatewayOptions) {
  const gateway = await createGateway(options);
  return { gateway, url: await gateway.listen() };
}
