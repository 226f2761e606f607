/** Values that the environment has in files, such as mounted secrets: `REDIS_URL_FILE` names the file of `REDIS_URL`. */
import { X509Certificate } from 'node:crypto';
import { readTextFile } from '../domain/files.js';
import { readPem } from './valueSchemas.js';
import { rawValueOf, variableNames, type Environment, type VariableName } from './variables.js';

/** Their values are paths already: OPERATIONS_MANIFEST_FILE would be mistaken for the manifest itself. */
const WITHOUT_FILE: readonly VariableName[] = ['OPERATIONS_MANIFEST', 'CLIENT_KEYS_FILE'];

/** For each variable that names a file, the variable whose value the file has. */
export const fileVariables: ReadonlyMap<string, VariableName> = new Map(
  variableNames.filter((name) => !WITHOUT_FILE.includes(name)).map((name) => [`${name}_FILE`, name]),
);

/** The files that values were read from, and the problems of these files. */
export interface VariableFiles {
  /** For each variable whose value is from a file, the path of the file. */
  files: ReadonlyMap<string, string>;
  problems: readonly string[];
}

export interface GivenVariables extends VariableFiles {
  /** The environment, with the values from files. */
  environment: Environment;
}

/** Reads each file once. Messages have neither the content of a file nor what could be a secret given in place of a path. */
export function readVariableFiles(environment: Environment): GivenVariables {
  const values: Record<string, string> = {};
  const files = new Map<string, string>();
  const problems: string[] = [];
  const read = (fileVariable: string, use: (path: string) => void) => {
    const path = environment[fileVariable] ?? '';
    if (path === '') return;
    try {
      use(path);
    } catch (error) {
      problems.push(`${fileVariable}: ${(error as Error).message}`);
    }
  };
  for (const [fileVariable, variable] of fileVariables) {
    read(fileVariable, (path) => {
      if (rawValueOf(variable, environment) !== undefined)
        throw new Error(`expected either ${variable} or ${fileVariable}, got both`);
      values[variable] = readValue(path);
      files.set(variable, path);
    });
  }
  read('OPERATIONS_MANIFEST_FILE', () => {
    throw new Error('expected OPERATIONS_MANIFEST, which is the path of a file itself');
  });
  // Node.js itself reads this file, and ignores one that it cannot use: each call over https would fail.
  read('NODE_EXTRA_CA_CERTS', (path) => {
    const text = readTextFile(path);
    readPem('CERTIFICATE', 'certificate', () => new X509Certificate(text));
  });
  return { environment: { ...environment, ...values }, files, problems };
}

/** A text without the line end that editors add. */
export function readValue(path: string): string {
  const value = readTextFile(path).replace(/\r?\n$/, '');
  if (value === '') throw new Error('expected a file with a value, got an empty one');
  return value;
}
