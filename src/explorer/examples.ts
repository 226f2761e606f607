/** One example per query and mutation, all of which succeed against the mock service's initial data, and one per error code. */
import { errorExamples } from './errorExamples.js';
import type { Example } from './example.js';
import { mutationExamples } from './mutationExamples.js';
import { queryExamples } from './queryExamples.js';

/** The examples' bearer token. The mock service accepts any. */
export const EXAMPLE_TOKEN = 'demo';

export const examples: readonly Example[] = [...queryExamples, ...mutationExamples];

export const exampleGroups: readonly { title: string; examples: readonly Example[] }[] = [
  { title: 'Queries', examples: queryExamples },
  { title: 'Mutations', examples: mutationExamples },
  { title: 'Errors', examples: errorExamples },
];
