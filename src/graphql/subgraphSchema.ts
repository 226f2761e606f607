/** The gateway as a subgraph: the public schema plus the fields that supergraph gateways use to compose it with others. */
import { makeExecutableSchema } from '@graphql-tools/schema';
import { print, type GraphQLSchema } from 'graphql';
import { parseRepresentation } from '../input/entityRepresentation.js';
import type { GatewayContext } from '../context.js';
import { resolvers } from '../resolvers/index.js';
import { scalars } from '../resolvers/scalars.js';
import { readTypeDefs } from './schema.js';

/**
 * The executable schema for supergraph gateways. `_service` and `_entities` come from the subgraph specification of
 * Apollo Federation 2; `_sdl` is what stitching gateways read by convention.
 */
export function createSubgraphSchema(): GraphQLSchema {
  const sdl = print(readTypeDefs('subgraph/annotations.graphql'));
  const publicSdl = print(readTypeDefs());
  const subgraphResolvers = {
    Query: {
      _service: () => ({ sdl }),
      _sdl: () => publicSdl,
      _entities: (
        _: unknown,
        { representations }: { representations: readonly unknown[] },
        { notificationLoader, client }: GatewayContext,
      ) =>
        representations.map(async (representation, index) =>
          notificationLoader.load(parseRepresentation(representation, index, client).notificationGuid),
        ),
    },
    _Any: { ...scalars['JSON'] },
    _Entity: { __resolveType: () => 'Notification' },
  };
  return makeExecutableSchema({
    typeDefs: readTypeDefs('subgraph/fields.graphql'),
    resolvers: [resolvers, scalars, subgraphResolvers],
  });
}
