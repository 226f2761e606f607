import cluster from 'node:cluster';
import { ConfigError, type Config, type Environment } from '../config/config.js';
import { findMisspelledVariables } from '../config/unknownVariables.js';
import { MOCK_SERVICE_ARGUMENT, startCluster } from './cluster.js';
import { startEmbeddedService } from './embeddedService.js';
import { createLogger } from './logger.js';
import { portProblem } from './portProblem.js';
import { stopOnSignals } from './signals.js';
import { startSingleProcess } from './singleProcess.js';
import { addressMessage, welcomeMessage } from './welcome.js';

/** Runs the gateway in this process, or in workers, until a signal; exits with code 1 if it does not start. */
export async function startProgram(config: Config, environment: Environment): Promise<void> {
  const log = await createLogger(config.LOG_LEVEL);
  if (cluster.isPrimary) {
    for (const misspelled of findMisspelledVariables(environment))
      log.warn(misspelled, 'Unknown environment variable');
  }
  try {
    const embeddedService = config.SERVICE_URL === undefined ? await startEmbeddedService() : undefined;
    const serviceUrl = config.SERVICE_URL ?? new URL(embeddedService?.url ?? '');
    const usesMockService = embeddedService !== undefined || process.argv.includes(MOCK_SERVICE_ARGUMENT);
    const options = { config: { ...config, SERVICE_URL: serviceUrl }, log, usesMockService };
    const starting =
      cluster.isPrimary && config.WEB_CONCURRENCY > 1
        ? startCluster(options, environment)
        : startSingleProcess(options);
    // Before the gateway has started: a signal that arrives meanwhile stops it as soon as it has.
    stopOnSignals(log, async (signal) => {
      await (await starting).stop(signal);
      await embeddedService?.stop();
    });
    const { url } = await starting;
    // In production, stdout holds log lines only. Workers have the SERVICE_URL of their primary, which prints the message.
    if (cluster.isPrimary && config.NODE_ENV !== 'production') {
      const message = embeddedService ? welcomeMessage : addressMessage;
      const addresses = { url, serviceUrl: embeddedService?.url ?? serviceUrl.href };
      process.stdout.write(`${message({ ...addresses, explorerEnabled: config.EXPLORER })}\n`);
    }
  } catch (error) {
    const problem = error instanceof ConfigError ? error.message : portProblem(error, config);
    if (problem === undefined) log.fatal({ err: error }, 'The gateway failed to start');
    else process.stderr.write(`${problem}\n`);
    process.exit(1);
  }
}
