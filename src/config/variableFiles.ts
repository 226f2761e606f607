/** Values of environment variables that are in files, such as mounted secrets: `REDIS_URL_FILE` names the file of `REDIS_URL`. */
import { readFileSync, statSync } from 'node:fs';
import { describePath, unreadableFile } from '../domain/files.js';
import type { Environment, VariableFiles } from './config.js';
import { textOf, variableNames, type VariableName } from './variables.js';

/** Their values are paths already: OPERATIONS_MANIFEST_FILE would be mistaken for the manifest itself. */
const WITHOUT_FILE: readonly VariableName[] = ['OPERATIONS_MANIFEST', 'CLIENT_KEYS_FILE'];

/** For each variable that names a file, the variable whose value the file has. */
export const fileVariables: ReadonlyMap<string, VariableName> = new Map(
  variableNames.filter((name) => !WITHOUT_FILE.includes(name)).map((name) => [`${name}_FILE`, name]),
);

/** Linux's limit on an environment variable, in bytes. */
const MAX_FILE_BYTES = 131_072;

/** For `parseConfig`, which reports the problems together with its own. */
export interface GivenVariables extends VariableFiles {
  /** The environment, with the values from files. */
  environment: Environment;
}

/** Reads each file once. Messages have neither the content of a file nor what could be a secret given in place of a path. */
export function readVariableFiles(environment: Environment): GivenVariables {
  const values: Record<string, string> = {};
  const files = new Map<string, string>();
  const problems: string[] = [];
  for (const [fileVariable, variable] of fileVariables) {
    const path = environment[fileVariable] ?? '';
    if (path === '') continue;
    try {
      if (textOf(variable, environment) !== undefined)
        throw new Error(`either ${variable} or ${fileVariable}, got both`);
      values[variable] = readValue(path);
      files.set(variable, path);
    } catch (error) {
      problems.push(`${fileVariable}: expected ${expectationOf(error, path)}`);
    }
  }
  if ((environment['OPERATIONS_MANIFEST_FILE'] ?? '') !== '')
    problems.push(
      'OPERATIONS_MANIFEST_FILE: expected OPERATIONS_MANIFEST, which is the path of a file itself',
    );
  return { environment: { ...environment, ...values }, files, problems };
}

function readValue(path: string): string {
  // Before it is opened: reading a pipe would wait for its writer.
  const file = statSync(path);
  if (!file.isFile()) throw new Error(`a regular file, got ${describePath(path)}, which is not one`);
  if (file.size > MAX_FILE_BYTES)
    throw new Error(`a file of at most ${MAX_FILE_BYTES} bytes, got ${file.size}`);
  const value = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)).replace(/\r?\n$/, '');
  if (value === '') throw new Error('a file with a value, got an empty one');
  return value;
}

/** What was expected instead: the message of `readValue`, or of a system error, without its path. */
function expectationOf(error: unknown, path: string): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return message;
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'a text file in UTF-8, got other bytes';
  return `a readable file, got ${unreadableFile(error, path)}`;
}
