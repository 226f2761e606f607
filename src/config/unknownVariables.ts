/** Finds environment variables whose names look like misspelled names of the gateway's variables. */
import leven from 'leven';
import { fileVariables } from './variableFiles.js';
import { variableNames } from './variables.js';

export interface MisspelledVariable {
  variable: string;
  /** The name that was probably meant. */
  suggestion: string;
}

/** Maximum edit distance (Levenshtein) between a name and its suggestion. */
const MAX_DISTANCE = 2;
/** Shorter names, such as HOST, are never suggested: too many variables of other programs resemble them. */
const MIN_LENGTH = 6;

const names = new Set<string>([...variableNames, ...fileVariables.keys()]);
const candidates = [...names].filter((name) => (fileVariables.get(name) ?? name).length >= MIN_LENGTH);

export function findMisspelledVariables(
  environment: Readonly<Record<string, string | undefined>>,
): MisspelledVariable[] {
  return Object.keys(environment)
    .filter((variable) => !names.has(variable))
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
