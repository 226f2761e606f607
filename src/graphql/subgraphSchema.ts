/** The gateway as a subgraph: the public schema plus the fields that supergraph gateways use to compose it with others. */
import { makeExecutableSchema } from '@graphql-tools/schema';
import { print, type GraphQLSchema } from 'graphql';
import { createRepresentationParser } from '../fields/entityRepresentation.js';
import type { GatewayContext } from '../fields/context.js';
import { json } from '../fields/types/scalars.js';
import { createResolvers, readTypeDefs } from './schema.js';
import { prefixTypes } from './schemaPrefix.js';

/**
 * The executable schema for supergraph gateways. `_service` and `_entities` come from the subgraph specification of
 * Apollo Federation 2; `_sdl` is what stitching gateways read by convention.
 */
export function createSubgraphSchema(prefix = ''): GraphQLSchema {
  const sdl = print(prefixTypes(readTypeDefs('subgraph/annotations.graphql'), prefix));
  const publicSdl = print(prefixTypes(readTypeDefs(), prefix));
  const entityType = `${prefix}Notification`;
  const subgraphResolvers = {
    Query: {
      _service: () => ({ sdl }),
      _sdl: () => publicSdl,
      _entities: createEntitiesResolver(entityType),
    },
    _Any: { ...json },
    _Entity: { __resolveType: () => entityType },
  };
  return makeExecutableSchema({
    typeDefs: prefixTypes(readTypeDefs('subgraph/fields.graphql'), prefix),
    resolvers: [...createResolvers(prefix), subgraphResolvers],
  });
}

function createEntitiesResolver(entityType: string) {
  const parse = createRepresentationParser(entityType);
  const read = async (representation: unknown, index: number, context: GatewayContext) =>
    context.notificationLoader.load(parse(representation, index, context.client));

  // One promise for the list, so that the size of the result is determined once. An Error is the error of its element.
  return (
    _: unknown,
    { representations }: { representations: readonly unknown[] },
    context: GatewayContext,
  ): Promise<unknown[]> =>
    Promise.all(
      representations.map((each, index) => read(each, index, context).catch((error: unknown) => error)),
    );
}
