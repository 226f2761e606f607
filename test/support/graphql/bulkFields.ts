/** The bulk fields of the schema, each with the field for one, and operations on their items. */
import { expect } from 'vitest';
import { mutations, subjectPathOf, withInvalidValue, type FieldName, type Operation } from './rootFields.js';

/** Every field with the argument `items`, and the field for one. */
export const bulkFields = Object.values(mutations).flatMap(({ name, args }) =>
  args.some((each) => each.name === 'items') ? [[name, name.slice(0, -1) as FieldName] as const] : [],
);

/** A valid item about a subject. */
export function itemAbout(one: FieldName, subject: string, others: object = {}): object {
  return { ...withInvalidValue(one, subjectPathOf(one), subject), ...others };
}

/** The value of what the operation selects of each result. */
export const RESULT =
  'outcome evidence errors { code message retryable requestId inputPath rule limit status retryAfterSeconds serviceMessages candidates }';

/** An operation on a bulk field; `selection` is that of its payload. */
export function bulkOperation(
  many: string,
  items: readonly object[],
  {
    selection = `results { ${RESULT} } applied notApplied unknown`,
    ...args
  }: { selection?: string; onInvalidItem?: string; dryRun?: boolean } = {},
): Operation & { variables: Record<string, unknown> } {
  const type = mutations[many]?.args.find(({ name }) => name === 'items')?.type;
  const declared = { items: String(type), onInvalidItem: 'OnInvalidItem!', dryRun: 'Boolean!' };
  const given = Object.entries(declared).filter(([name]) => name === 'items' || name in args);
  const variables = given.map(([name, of]) => `$${name}: ${of}`).join(', ');
  const passed = given.map(([name]) => `${name}: $${name}`).join(', ');
  return {
    query: `mutation (${variables}) { ${many}(${passed}) { ${selection} } }`,
    variables: { items, ...args },
  };
}

/** Selects the bulk field of an operation twice. */
export function twice({ query, variables }: Operation): Operation {
  const field = query.slice(query.indexOf('{') + 2, -2);
  return { query: query.replace(field, `first: ${field} second: ${field}`), ...(variables && { variables }) };
}

/** The error of a result, in the order of RESULT. */
export function resultError(code: string, message: string, details: object = {}) {
  return {
    code,
    message,
    retryable: false,
    requestId: expect.any(String) as string,
    inputPath: null,
    rule: null,
    limit: null,
    status: null,
    retryAfterSeconds: null,
    serviceMessages: [],
    candidates: null,
    ...details,
  };
}
