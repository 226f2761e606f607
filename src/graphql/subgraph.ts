/** The gateway as a subgraph: fields by which routers compose the schema with others, and limits for their requests. */
import { makeExecutableSchema } from '@graphql-tools/schema';
import { print, visit, type GraphQLSchema } from 'graphql';
import { z } from 'zod';
import { queryField } from '../fields/field.js';
import { fields } from '../fields/index.js';
import { entitiesField } from '../fields/reads.js';
import { json } from '../fields/types.js';
import type { DocumentLimits } from './documentSize.js';
import type { OperationLimits } from './checks.js';
import { MAX_ERRORS } from './publicErrors.js';
import { createResolvers, prefixTypes, readTypeDefs, ROOT_TYPES, withRootFields } from './schema.js';

/**
 * The executable schema for routers. `_service` and `_entities` come from the subgraph specification of Apollo Federation 2;
 * schema stitching reads `_sdl` by convention. A second schema, not hidden fields of one: an absent field cannot leak through validation
 * errors, suggestions, introspection or features of a later graphql-js.
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

/** Omits the descriptions of definitions that all subgraphs share: ours would describe the company's whole graph. */
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

/** Lexical tokens with which schema stitching reads one entity: variable, alias, argument, and every field of the entity. */
const TOKENS_PER_ENTITY = 50;

/** Aliases, or directives, with which schema stitching reads one entity: one for each of its fields. */
const ALIASES_PER_ENTITY = 10;

/**
 * The limits of requests from a router, which reads many entities at once: as a list, or with one alias for each. Raises the limits of
 * other clients that would reject such requests, and lists an error for every entity that fails.
 */
export function subgraphLimits(
  { maxTokens, maxAliases, maxDirectives }: DocumentLimits,
  maxEntities: number,
): DocumentLimits & Required<Pick<OperationLimits, 'maxEntities'>> & { maxErrors: number } {
  return {
    maxEntities,
    maxTokens: Math.max(maxTokens, TOKENS_PER_ENTITY * maxEntities),
    maxAliases: Math.max(maxAliases, ALIASES_PER_ENTITY * maxEntities),
    maxDirectives: Math.max(maxDirectives, ALIASES_PER_ENTITY * maxEntities),
    maxErrors: Math.max(MAX_ERRORS, 2 * maxEntities), // entities that failed, and as many beyond the limit
  };
}
