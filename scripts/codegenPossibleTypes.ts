/** A plugin of GraphQL Code Generator (codegen.ts): what the caches of front ends know of the schema. */
import { isAbstractType, isIntrospectionType, isObjectType, type GraphQLSchema } from 'graphql';

export function plugin(schema: GraphQLSchema): string {
  const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
  const roots: unknown[] = [schema.getQueryType(), schema.getMutationType()];
  const possibleTypes = Object.fromEntries(
    types
      .filter(isAbstractType)
      .map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)]),
  );
  const typesWithoutId = types
    .filter(isObjectType)
    .filter((type) => !roots.includes(type) && !('id' in type.getFields()))
    .map(({ name }) => name);
  return `/** Written by npm run codegen: what caches have to know of the schema. */

/** The object types of each interface, for caches that match fragments. */
export const possibleTypes: Record<string, string[]> = ${JSON.stringify(possibleTypes, null, 2)};

/** The object types without the field \`id\`, by which caches find an object again. */
export const typesWithoutId: readonly string[] = ${JSON.stringify(typesWithoutId, null, 2)};
`;
}
