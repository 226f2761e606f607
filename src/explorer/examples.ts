/** One example per query and mutation. All of them succeed against the mock service's initial data. */
import type { Example } from './example.js';
import { mutationExamples } from './mutationExamples.js';
import { queryExamples } from './queryExamples.js';

/** The examples' bearer token. The mock service accepts any. */
export const EXAMPLE_TOKEN = 'demo';

export const examples: readonly Example[] = [...queryExamples, ...mutationExamples];
