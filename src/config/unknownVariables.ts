/** Environment variables that the gateway does not read, although somebody probably meant it to. */
import leven from 'leven';
import type { Environment } from './config.js';
import { fileVariables } from './variableFiles.js';
import { variableNames } from './variables.js';

/** Variables of earlier versions, and what replaced each. docs/configuration.md has the same table; a test compares them. */
export const removedVariables: Readonly<Record<string, string>> = {
  READ_BACK_TIMEOUT_MS: 'SERVICE_TIMEOUT_MS / 5',
  SERVICE_QUEUE_LIMIT: 'SERVICE_CONNECTIONS × 2',
  SERVICE_CONNECTION_AGE_MS: 'MAX_CONNECTION_AGE_MS',
  SERVICE_CIRCUIT_OPEN_MS: 'SERVICE_TIMEOUT_MS / 2',
  MAX_RESPONSE_BYTES: 'MAX_BYTES_IN_FLIGHT × 5/32',
  MAX_RESULT_BYTES: 'MAX_BYTES_IN_FLIGHT × 5/32',
  MAX_DEPTH: 'the depth of the schema',
  MAX_DIRECTIVES: 'MAX_ALIASES',
  MAX_CONNECTIONS: 'MAX_IN_FLIGHT_REQUESTS × 10',
  MAX_INCOMING_BODIES: 'MAX_IN_FLIGHT_REQUESTS / 2, rounded up to a power of two',
  MAX_INCOMING_BODIES_PER_ADDRESS: 'MAX_IN_FLIGHT_REQUESTS / 8, rounded up to a power of two',
  MIN_BODY_BYTES_PER_SECOND: '1024',
  MAX_EVENT_LOOP_DELAY_MS: '1000',
  HEADERS_TIMEOUT_MS: 'REQUEST_TIMEOUT_MS / 3',
  RESPONSE_TIMEOUT_MS: 'REQUEST_TIMEOUT_MS',
  SHUTDOWN_GRACE_MS: 'SERVICE_TIMEOUT_MS × 1.4 + 1000',
  EXPOSE_REST_CALLS: 'EXPLORER',
  WEB_CONCURRENCY: 'one process per core',
};

/** Those that are set, themselves or as a file, each with what has its value, or its effect, now. */
export function findRemovedVariables(environment: Environment) {
  return Object.entries(environment).flatMap(([variable, value = '']) => {
    const replacement = replacementOf(variable);
    return replacement === undefined || value === '' ? [] : [{ variable, replacement }];
  });
}

function replacementOf(variable: string): string | undefined {
  return removedVariables[variable.replace(/_FILE$/, '')];
}

/** Maximum edit distance (Levenshtein) between a name and its suggestion. */
const MAX_DISTANCE = 2;
/** Shorter names, such as HOST, are never suggested: too many variables of other programs resemble them. */
const MIN_LENGTH = 6;

const names = new Set<string>([...variableNames, ...fileVariables.keys()]);
const candidates = [...names].filter((name) => (fileVariables.get(name) ?? name).length >= MIN_LENGTH);

/** Unknown variables, each with the name that was probably meant. */
export function findMisspelledVariables(environment: Environment) {
  return Object.keys(environment)
    .filter((variable) => !names.has(variable) && replacementOf(variable) === undefined)
    .flatMap((variable) => {
      const suggestion = nearestName(variable.toUpperCase());
      return suggestion === undefined ? [] : [{ variable, suggestion }];
    });
}

function nearestName(variable: string): string | undefined {
  const distances = candidates.map((name) => ({ name, distance: leven(name, variable) }));
  const [nearest] = distances.sort((a, b) => a.distance - b.distance);
  return nearest && nearest.distance <= MAX_DISTANCE ? nearest.name : undefined;
}
