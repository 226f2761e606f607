/** The command line: its options, the environment, and what they ask for. */
import { parseArgs } from 'node:util';
import { ConfigError, parseConfig, parseValues, type Config, type Environment } from './config/config.js';
import { readValue, readVariableFiles, type GivenVariables } from './config/variableFiles.js';
import { findWarnings } from './config/warnings.js';
import { parseBearerToken, tokenOf } from './domain/parameters.js';
import { startProgram } from './process/program.js';
import { readVersion } from './version.js';

const usage = `Usage: shipment-graphql-gateway [--check-config | --probe [--token-file <path>] | --help | --version]

Starts the gateway. Environment variables configure it (docs/configuration.md).

  --check-config  print the effective configuration as JSON, with secrets hidden, and exit: with code 0 if it is
                  valid, else with code 1 after all problems; nothing is started
  --probe         read from the service what its interface leaves open, print the variables to set, and exit: with code 0,
                  or with code 1 if something keeps the gateway from working
  --token-file    the file with the bearer token of the probe
  --help          print this text and exit
  --version       print the version and exit
`;

export async function runCommand(environment: Environment): Promise<void> {
  const options = readOptions();
  if (options.help) process.stdout.write(usage);
  else if (options.version) process.stdout.write(`${readVersion()}\n`);
  else {
    const given = readVariableFiles(environment);
    const config = readConfig(given);
    if (options['check-config']) await printConfig(config, given);
    else if (options.probe) await probe(config, given, options['token-file']);
    else await startProgram(config, given.environment);
  }
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
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`); // which names the option or the argument
    process.exit(2);
  }
}

function readConfig(given: GivenVariables): Config {
  try {
    return parseConfig(given.environment, given);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

async function printConfig(config: Config, given: GivenVariables): Promise<void> {
  const { formatConfig } = await import('./config/effectiveConfig.js');
  process.stdout.write(formatConfig(parseValues(given.environment, given), given));
  for (const { message, variable, problem } of findWarnings(given.environment, config))
    process.stderr.write(`${message} ${variable}: ${problem}\n`);
}

async function probe(config: Config, given: GivenVariables, tokenFile: string | undefined): Promise<void> {
  const { runProbe } = await import('./probe/probe.js');
  process.exitCode = await runProbe(config, given, readToken(tokenFile), process);
}

/** The file has the token with or without its scheme. */
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
