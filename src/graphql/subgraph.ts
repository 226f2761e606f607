/** The gateway as a subgraph: fields by which supergraph gateways compose the schema with others, and limits for their requests. */
import { makeExecutableSchema } from '@graphql-tools/schema';
import { print, visit, type GraphQLSchema } from 'graphql';
import { z } from 'zod';
import { queryField } from '../fields/field.js';
import { fields } from '../fields/index.js';
import { entitiesField } from '../fields/reads.js';
import { json } from '../fields/types.js';
import type { DocumentLimits } from './documentSize.js';
import type { RestCallLimitOptions } from './checks.js';
import { MAX_ERRORS } from './publicErrors.js';
import { createResolvers, prefixTypes, readTypeDefs, ROOT_TYPES, withRootFields } from './schema.js';

/**
 * The executable schema for supergraph gateways. `_service` and `_entities` come from the subgraph specification of
 * Apollo Federation 2; `_sdl` is what stitching gateways read by convention. A second schema, not hidden fields of one: what is absent
 * cannot leak through validation errors, suggestions, introspection or what a later graphql-js adds.
 */
export function createSubgraphSchema(prefix = ''): GraphQLSchema {
  const entityType = `${prefix}Notification`;
  const types = { _Any: { ...json }, _Entity: { __resolveType: () => entityType } };
  const schema = makeExecutableSchema({
    typeDefs: prefixTypes(readTypeDefs('subgraph/fields.graphql'), prefix),
    resolvers: [...createResolvers(prefix), types],
  });
  return withRootFields(schema, {
    ...fields,
    Query: {
      ...fields.Query,
      _service: constantField({ sdl: federationSdl(prefix) }),
      _sdl: constantField(sdlOf(prefix)),
      _entities: entitiesField(entityType),
    },
  });
}

/** The SDL from which Apollo Federation composes a supergraph. */
export function federationSdl(prefix = ''): string {
  return sdlOf(prefix, 'subgraph/annotations.graphql');
}

/** Without the descriptions of what all subgraphs share: ours would describe the company's whole graph. */
function sdlOf(prefix: string, extraFile?: string): string {
  const withoutDescription = (node: { description?: unknown }) => ({ ...node, description: null });
  return print(
    visit(prefixTypes(readTypeDefs(extraFile), prefix), {
      SchemaDefinition: withoutDescription,
      ObjectTypeDefinition: (node) =>
        ROOT_TYPES.has(node.name.value) ? withoutDescription(node) : undefined,
    }),
  );
}

function constantField(value: unknown) {
  return queryField({
    operation: undefined,
    args: () => z.object({}),
    restCalls: () => 0,
    read: () => value,
  });
}

/** Lexical tokens of a stitching gateway's field that reads one entity: variable, alias, argument, and every field of it. */
const TOKENS_PER_ENTITY = 50;

/** Aliases, and directives, of such a field: one for every field of the entity. */
const ALIASES_PER_ENTITY = 10;

/**
 * The limits of requests from a router, which reads many entities at once: as a list, or as one alias for each. Each limit of
 * other clients that stands in the way is raised, and every entity that fails has an error.
 */
export function subgraphLimits(
  { maxTokens, maxAliases, maxDirectives }: DocumentLimits,
  maxEntities: number,
): DocumentLimits & Required<Pick<RestCallLimitOptions, 'maxEntities'>> & { maxErrors: number } {
  return {
    maxEntities,
    maxTokens: Math.max(maxTokens, TOKENS_PER_ENTITY * maxEntities),
    maxAliases: Math.max(maxAliases, ALIASES_PER_ENTITY * maxEntities),
    maxDirectives: Math.max(maxDirectives, ALIASES_PER_ENTITY * maxEntities),
    maxErrors: Math.max(MAX_ERRORS, 2 * maxEntities), // those that failed, and as many beyond the limit
  };
}
