/** The gateway as a subgraph: fields by which supergraph gateways compose the schema with others, and limits for their requests. */
import { makeExecutableSchema } from '@graphql-tools/schema';
import { print, type GraphQLSchema } from 'graphql';
import type { GatewayContext } from '../fields/context.js';
import { createRepresentationParser } from '../fields/entityRepresentation.js';
import { json } from '../fields/types/scalars.js';
import type { DocumentLimits } from './documentSize.js';
import type { RestCallLimitOptions } from './checks.js';
import { defaultErrorLimits, type ErrorLimits } from './errorLimit.js';
import { createResolvers, prefixTypes, readTypeDefs } from './schema.js';

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

/** Lexical tokens of a stitching gateway's field that reads one entity: variable, alias, argument, and every field of it. */
const TOKENS_PER_ENTITY = 50;

/** Aliases, and directives, of such a field: one for every field of the entity. */
const ALIASES_PER_ENTITY = 10;

/** More than the error of an entity has, without the service's own messages. */
const ERROR_BYTES_PER_ENTITY = 512;

/**
 * The limits of requests from a router, which reads many entities at once: as a list, or as one alias for each. Each limit of
 * other clients that stands in the way is raised, and every entity that fails has an error.
 */
export function subgraphLimits(
  { maxTokens, maxAliases, maxDirectives }: DocumentLimits,
  maxEntities: number,
): Omit<DocumentLimits, 'maxDepth'> &
  Required<Pick<RestCallLimitOptions, 'maxEntities'>> & { errorLimits: ErrorLimits } {
  return {
    maxEntities,
    maxTokens: Math.max(maxTokens, TOKENS_PER_ENTITY * maxEntities),
    maxAliases: Math.max(maxAliases, ALIASES_PER_ENTITY * maxEntities),
    maxDirectives: Math.max(maxDirectives, ALIASES_PER_ENTITY * maxEntities),
    errorLimits: {
      maxErrors: Math.max(defaultErrorLimits.maxErrors, 2 * maxEntities), // those that failed, and as many beyond the limit
      maxBytes: Math.max(defaultErrorLimits.maxBytes, 2 * ERROR_BYTES_PER_ENTITY * maxEntities),
      marksOmissions: true,
    },
  };
}
