#!/usr/bin/env node
/** The program: command line → environment → config → gateway → signals. */
import { ConfigError, parseConfig, type Config } from './config/config.js';
import { findMisspelledVariables, findRemovedVariables } from './config/unknownVariables.js';
import { parseCommand, usage, type Command } from './process/commandLine.js';
import { startProgram } from './process/startProgram.js';
import { readVariableFiles, type GivenVariables } from './config/variableFiles.js';
import { readVersion } from './version.js';

const command = readCommand();
if (command === 'help') process.stdout.write(usage);
else if (command === 'version') console.log(readVersion());
else {
  const given = readVariableFiles(process.env);
  const config = readConfig(given);
  if (command === 'check-config') await printConfig(config, given);
  else await startProgram(config, given.environment);
}

async function printConfig(config: Config, given: GivenVariables): Promise<void> {
  const { formatConfig } = await import('./config/jsonSchema.js');
  process.stdout.write(formatConfig(config, given));
  for (const { variable, suggestion } of findMisspelledVariables(given.environment))
    console.error(`Unknown environment variable ${variable}: did you mean ${suggestion}?`);
  for (const { variable, replacement } of findRemovedVariables(given.environment))
    console.error(`Removed environment variable ${variable}: replaced by ${replacement}`);
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

function readCommand(): Command {
  try {
    return parseCommand(process.argv.slice(2));
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}
