/** Takes the place of the schemas of src/gateway.ts in all tests (vitest.config.ts): gateways of one process share them, as each takes 40 ms of CPU. */
import type { GraphQLSchema } from 'graphql';
import * as original from '../../../src/graphql/schema.js';

export { subgraphLimits } from '../../../src/graphql/schema.js';

export const createSchema = sharing(original.createSchema);
export const createSubgraphSchema = sharing(original.createSubgraphSchema);

function sharing(create: (prefix: string) => GraphQLSchema) {
  const schemas = new Map<string, GraphQLSchema>();
  return (prefix: string): GraphQLSchema => {
    const schema = schemas.get(prefix) ?? create(prefix);
    schemas.set(prefix, schema);
    return schema;
  };
}
