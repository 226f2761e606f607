#!/usr/bin/env node
/** The program: environment → config → gateway or cluster → signals. */
import cluster from 'node:cluster';
import { ConfigError, parseConfig, type Config } from './config/config.js';
import { findMisspelledVariables } from './config/unknownVariables.js';
import { MOCK_SERVICE_ARGUMENT, startCluster } from './process/cluster.js';
import { startEmbeddedService } from './process/embeddedService.js';
import { createLogger } from './process/logger.js';
import { portProblem } from './process/portProblem.js';
import { stopOnSignals } from './process/signals.js';
import { startSingleProcess } from './process/singleProcess.js';
import { addressMessage, welcomeMessage } from './process/welcome.js';

const config = readConfig();
const log = await createLogger(config.LOG_LEVEL);
if (cluster.isPrimary) {
  for (const misspelled of findMisspelledVariables(process.env))
    log.warn(misspelled, 'Unknown environment variable');
}

try {
  const embeddedService = config.SERVICE_URL === undefined ? await startEmbeddedService() : undefined;
  const serviceUrl = config.SERVICE_URL ?? new URL(embeddedService?.url ?? '');
  const start = cluster.isPrimary && config.WEB_CONCURRENCY > 1 ? startCluster : startSingleProcess;
  const usesMockService = embeddedService !== undefined || process.argv.includes(MOCK_SERVICE_ARGUMENT);
  const starting = start({ config: { ...config, SERVICE_URL: serviceUrl }, log, usesMockService });
  // Before the gateway has started: a signal that arrives meanwhile stops it as soon as it has.
  stopOnSignals(log, async (signal) => {
    await (await starting).stop(signal);
    await embeddedService?.stop();
  });
  const { url } = await starting;
  // In production, stdout holds log lines only. Workers have the SERVICE_URL of their primary, which prints the message.
  if (cluster.isPrimary && config.NODE_ENV !== 'production') {
    const message = embeddedService ? welcomeMessage : addressMessage;
    console.log(
      message({
        url,
        serviceUrl: embeddedService?.url ?? serviceUrl.href,
        explorerEnabled: config.EXPLORER ?? true,
      }),
    );
  }
} catch (error) {
  const problem = portProblem(error, config);
  if (error instanceof ConfigError) console.error(error.message);
  else if (problem === undefined) log.fatal({ err: error }, 'The gateway failed to start');
  else console.error(problem);
  process.exit(1);
}

function readConfig(): Config {
  try {
    return parseConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
