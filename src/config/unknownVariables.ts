/** Finds environment variables that look like misspelled names of ours. */
import leven from 'leven';
import { variables } from './variables.js';

export interface MisspelledVariable {
  variable: string;
  /** The name that was probably meant. */
  suggestion: string;
}

/** Names with at most this many wrong, missing or extra characters look like one of ours. */
const MAX_DISTANCE = 2;
/** Shorter names, such as HOST, resemble too many variables of other programs. */
const MIN_LENGTH = 6;

export function findMisspelledVariables(
  environment: Readonly<Record<string, string | undefined>>,
): MisspelledVariable[] {
  const names = Object.keys(variables);
  return Object.keys(environment)
    .filter((variable) => !names.includes(variable))
    .flatMap((variable) => {
      const suggestion = names.find(
        (name) => name.length >= MIN_LENGTH && leven(name, variable.toUpperCase()) <= MAX_DISTANCE,
      );
      return suggestion === undefined ? [] : [{ variable, suggestion }];
    });
}
