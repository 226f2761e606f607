/** The command line: parses flags, then checks the configuration, probes the service, or runs the gateway until a signal. */
import { createHook } from 'node:async_hooks';
import { parseArgs } from 'node:util';
import type { Logger } from 'pino';
import { ConfigError, findWarnings, parseConfig, parseValues, type Config } from './config/config.js';
import {
  formatConfig,
  readValue,
  readVariableFiles,
  type Environment,
  type GivenVariables,
} from './config/variables.js';
import { parseBearerToken, tokenOf } from './domain/parameters.js';
import { createGateway } from './gateway.js';
import { createLogger } from './telemetry/log.js';
import { readVersion } from './version.js';

const usage = `Usage: shipment-graphql-gateway [--check-config | --probe [--token-file <path>] | --help | --version]

Starts the gateway. Environment variables configure it (docs/configuration.md).

  --check-config  print the effective configuration as JSON, with secrets hidden, and exit: with code 0 if it is
                  valid, else with code 1 after all problems; nothing is started
  --probe         read from the service what its interface leaves open, print the variables to set, and exit: with code 0
                  if there are none, or with code 1 if there are, or if something keeps the gateway from working
  --token-file    path to a file with the bearer token for the probe
  --help          print this text and exit
  --version       print the version and exit
`;

export async function runCommand(environment: Environment): Promise<void> {
  holdTickObject();
  const options = readOptions();
  if (options.help) process.stdout.write(usage);
  else if (options.version) process.stdout.write(`${readVersion()}\n`);
  else {
    const given = readVariableFiles(environment);
    try {
      const config = parseConfig(given.environment, given);
      if (options['check-config']) printConfig(config, given);
      else if (options.probe) await probe(config, given, options['token-file']);
      else await start(config, given.environment);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      process.stderr.write(`${error.message}\n`);
      process.exit(1);
    }
  }
}

const heldTickObjects: object[] = [];

/**
 * Holds one of Node's tick objects while the process lives. Without a live one, a major garbage collection before `process.nextTick` is
 * optimized makes V8 drop their hidden class, and from then on each request costs 3 to 5 µs more, a tenth.
 */
function holdTickObject(): void {
  const init = (_id: number, type: string, _trigger: number, resource: object) => {
    if (type === 'TickObject') heldTickObjects.push(resource);
  };
  const hook = createHook({ init }).enable();
  process.nextTick(() => undefined);
  hook.disable();
}

function readOptions() {
  const flag = { type: 'boolean' } as const;
  const options = {
    'check-config': flag,
    probe: flag,
    'token-file': { type: 'string' } as const,
    help: flag,
    version: flag,
  };
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`); // the message names the option or the argument
    process.exit(2);
  }
}

function printConfig(config: Config, given: GivenVariables): void {
  process.stdout.write(formatConfig(parseValues(given.environment, given), given));
  for (const { message, variable, problem } of findWarnings(given.environment, config))
    process.stderr.write(`${message} ${variable}: ${problem}\n`);
}

async function probe(config: Config, given: GivenVariables, tokenFile: string | undefined): Promise<void> {
  const token = readToken(tokenFile);
  const { runProbe } = await import('./probe/probe.js');
  const { url, mock } = await findService(config);
  process.exitCode = await runProbe({ ...config, SERVICE_URL: url }, given, token, process);
  await mock?.stop();
}

/** Reads the token of the probe from a file that contains it with or without its scheme. */
function readToken(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    const text = readValue(path);
    const authorization = parseBearerToken(/^bearer /i.test(text) ? text : `Bearer ${text}`);
    // The value is not in the message because it is a secret.
    if (authorization === undefined)
      throw new Error('expected a bearer token of visible ASCII characters without commas');
    return tokenOf(authorization);
  } catch (error) {
    process.stderr.write(`--token-file: ${(error as Error).message}\n`);
    process.exit(2);
  }
}

/** Runs the gateway until a signal; exits with code 1 if it does not start. */
async function start(config: Config, environment: Environment): Promise<void> {
  // A full volume behind stdout or stderr must not end the process. The log counts lines that it cannot write.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const log = await createLogger(config.process.logLevel, environment['OTEL_SERVICE_NAME']);
  for (const { message, ...fields } of findWarnings(environment, config)) log.warn(fields, message);
  try {
    const { url: serviceUrl, mock } = await findService(config);
    // A proxy from the environment of a developer could not reach the mock.
    const isMock = ({ origin }: URL) => mock !== undefined && origin === serviceUrl.origin;
    const noProxy = [...(config.service.noProxy ?? []), isMock];
    const starting = createGateway({
      config: { ...config, SERVICE_URL: serviceUrl, service: { ...config.service, noProxy } },
      log,
      usesMockService: mock !== undefined,
    }).then(async (gateway) => ({ gateway, url: await gateway.listen() }));
    // Before the gateway has started: a signal that arrives meanwhile stops it as soon as it has.
    stopOnSignals(log, async (signal) => {
      const { gateway } = await starting;
      await gateway.stop(signal === 'SIGINT' ? { drainDelayMs: 0 } : {}); // no load balancer waits for Ctrl-C
      await mock?.stop();
    });
    const { url } = await starting;
    // In production, stdout holds log lines only.
    if (!config.process.isProduction) {
      const service = mock
        ? `SERVICE_URL is not set: using the mock service at ${mock.url} (in-memory; data is lost on exit).`
        : `Using the service at ${serviceUrl.href}.`;
      const explorer = `${url} (open it in a browser for Apollo Sandbox)
Explorer: ${new URL('explorer', url).href} (works offline)`;
      const addresses = `GraphQL: ${config.http.explorerEnabled ? explorer : url}`;
      process.stdout.write(`\n${service}\n\n${addresses}\n\n${mock ? firstCommands(url) : ''}`);
    }
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const problem = listenProblem(error, config);
    if (problem === undefined) log.fatal({ err: error }, 'The gateway failed to start');
    else process.stderr.write(`${problem}\n`);
    process.exit(1);
  }
}

/** The service, or its in-memory mock, which is loaded on demand: production never needs it. */
async function findService({ SERVICE_URL: url }: Config) {
  if (url) return { url, mock: undefined };
  const { startMockService } = await import('./mock/mockService.js');
  const mock = await startMockService({ record: false });
  return { url: new URL(mock.url), mock };
}

/** Shuts down on SIGINT or SIGTERM, with exit code 0. A second signal exits at once. */
function stopOnSignals(log: Logger, stop: (signal: NodeJS.Signals) => Promise<void>): void {
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const earlier = process.listeners(signal); // they would end the process at once (main.ts)
    process.on(signal, () => {
      if (isStopping) process.exit(1);
      isStopping = true;
      stop(signal)
        .then(() => process.exit(0)) // unfinished work would keep the process alive
        .catch((error: unknown) => {
          log.error({ err: error }, 'The gateway did not shut down cleanly');
          process.exit(1);
        });
    });
    // Removed last: without a listener, Node.js would drop a signal that has arrived in this tick of the event loop.
    for (const listener of earlier) process.off(signal, listener);
  }
}

/** One line about an address to listen on that is not available; undefined for any other error. */
function listenProblem(error: unknown, { process, telemetry }: Config): string | undefined {
  const { message, port, syscall } = error as NodeJS.ErrnoException & { port?: number };
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return undefined;
  const isForMetrics = port !== undefined && port === telemetry.metricsPort && port !== process.port;
  return `Cannot listen: ${message} (HOST, ${isForMetrics ? 'METRICS_PORT' : 'PORT'})`;
}

/** Commands to paste, for the mock service. */
function firstCommands(url: string): string {
  const request = (query: string) =>
    `curl -s ${url} -H 'content-type: application/json' -H 'authorization: Bearer demo' -d '${query}'`;
  const create =
    '{"query":"mutation { createNotification(input: { notificationName: \\"My first notification\\", recipient: { shipmentLevel: { emailList: [\\"dispatch@example.com\\"], smsList: [\\"(303) 555-0100\\"] } }, trigger: { shipmentStatusChange: [EN_ROUTE, DELIVERED] } }) { notification { notificationGuid } } }"}';
  const read = `{"query":"{ notification(notificationGuid: \\"'$GUID'\\") { notificationGuid notificationName shipmentStatuses recipient { ... on ShipmentLevelRecipient { emailList smsList } } lastUpdateDate } }"}`;
  return `Create a notification and read it back:

GUID=$(${request(create)} | sed 's/.*"notificationGuid":"\\([^"]*\\)".*/\\1/') &&
${request(read)}

`;
}
