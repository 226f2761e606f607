/** The examples for the schema of the gateway that serves the page. */
import { exampleGroups } from './examples.js';
import { withTypePrefix } from './typePrefix.js';

/** The value of SCHEMA_PREFIX. */
export const schemaPrefix = document.documentElement.dataset['schemaPrefix'] ?? '';

export const pageExampleGroups = exampleGroups.map(({ title, examples }) => ({
  title,
  examples: examples.map((example) => withTypePrefix(example, schemaPrefix)),
}));

export const pageExamples = pageExampleGroups.flatMap(({ examples }) => examples);
