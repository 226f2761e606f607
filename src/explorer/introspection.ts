/** The schema as GraphiQL shows it. */
import { getIntrospectionQuery, type ExecutionResult, type IntrospectionQuery } from 'graphql';

/** GraphiQL's own introspection query omits `isOneOf`. */
export const introspectionQuery = getIntrospectionQuery({
  oneOf: true,
  schemaDescription: true,
  inputValueDeprecation: true,
});

/** Marks `@oneOf` inputs and hides what only supergraph gateways use. */
export function prepareIntrospection(result: ExecutionResult): ExecutionResult {
  if (!result.data) return result;
  const { __schema: schema } = result.data as unknown as IntrospectionQuery;
  const types = schema.types.filter(({ name }) => !isForSubgraphs(name)).map(prepareType);
  return { data: { __schema: { ...schema, types } } };
}

function prepareType(type: IntrospectionQuery['__schema']['types'][number]) {
  // GraphiQL does not mark `@oneOf` inputs, so their descriptions do.
  if (type.kind === 'INPUT_OBJECT' && type.isOneOf)
    return { ...type, description: `\`@oneOf\` ${type.description ?? ''}` };
  if (type.kind === 'OBJECT')
    return { ...type, fields: type.fields.filter(({ name }) => !isForSubgraphs(name)) };
  return type;
}

/** Such as `_entities` and `_Any`; two underscores mark GraphQL's own names. */
function isForSubgraphs(name: string): boolean {
  return /^_(?!_)/.test(name);
}
