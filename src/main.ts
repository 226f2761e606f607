#!/usr/bin/env node
/** The program: command line → environment → config → gateway → signals. */
import { parseArgs } from 'node:util';
import leven from 'leven';
import { ConfigError, parseConfig, type Config } from './config/config.js';
import { findWarnings } from './config/unknownVariables.js';
import { readVariableFiles, type GivenVariables } from './config/variableFiles.js';
import { unknownOptionIn } from './domain/libraryMessages.js';
import { startProgram } from './process/program.js';
import { readVersion } from './version.js';

const usage = `Usage: shipment-graphql-gateway [--check-config | --probe | --help | --version]

Starts the gateway. Environment variables configure it (docs/configuration.md).

  --check-config  print the effective configuration as JSON, with secrets hidden, and exit: with code 0 if it is
                  valid, else with code 1 after all problems; nothing is started
  --probe         read from the service what its interface leaves open, print the variables to set, and exit: with code 0,
                  or with code 1 if something keeps the gateway from working; PROBE_TOKEN or PROBE_TOKEN_FILE has the
                  bearer token
  --help          print this text and exit
  --version       print the version and exit
`;

const options = readOptions();
if (options.help) process.stdout.write(usage);
else if (options.version) console.log(readVersion());
else {
  const given = readVariableFiles(process.env);
  const config = readConfig(given);
  if (options['check-config']) await printConfig(config, given);
  else if (options.probe) await probe(config, given);
  else await startProgram(config, given.environment);
}

function readOptions() {
  const flag = { type: 'boolean' } as const;
  const options = {
    'check-config': flag,
    probe: flag,
    help: flag,
    version: flag,
  };
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    // The message names the option or the argument that is unknown.
    const { message } = error as Error;
    const unknown = unknownOptionIn(message);
    const meant = Object.keys(options).find((option) => unknown && leven(option, unknown) <= 2);
    console.error(`${message}${meant === undefined ? '' : `: did you mean --${meant}?`}\n\n${usage}`);
    process.exit(2);
  }
}

function readConfig(given: GivenVariables): Config {
  try {
    return parseConfig(given.environment, given);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

async function printConfig(config: Config, given: GivenVariables): Promise<void> {
  const { formatConfig } = await import('./config/jsonSchema.js');
  process.stdout.write(formatConfig(config, given));
  for (const { message, fields, hint } of findWarnings(given.environment, config))
    console.error(`${message} ${fields.variable}: ${hint}`);
}

async function probe(config: Config, given: GivenVariables): Promise<void> {
  const { runProbe } = await import('./probe/probe.js');
  process.exitCode = await runProbe(config, given, process);
}
