/** Both schemas, whose types may have a prefix: the public one, and the gateway as a subgraph, with limits for requests of routers. */
import { readdirSync, readFileSync } from 'node:fs';
import { mergeTypeDefs } from '@graphql-tools/merge';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { healSchema } from '@graphql-tools/utils';
import {
  isTypeDefinitionNode,
  isTypeExtensionNode,
  Kind,
  print,
  visit,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import { z, type ZodType } from 'zod';
import type { FieldEntry } from '../fields/selections.js';
import type { BulkField } from '../fields/bulk.js';
import { queryField } from '../fields/field.js';
import { entitiesField, reads } from '../fields/reads.js';
import { ExactId, json, scalars, typeResolvers } from '../fields/types.js';
import { writes } from '../fields/writes.js';
import type {
  MutationResolvers,
  QueryResolvers,
  Resolvers,
  ResolversParentTypes,
} from '../generated/resolvers.js';
import type { OperationLimits } from './checks.js';
import type { DocumentLimits } from './documentSize.js';
import { MAX_ERRORS } from './publicErrors.js';

/** The public schema: the SDL in schema/ with its resolvers. A prefix keeps its types apart from those of others in a supergraph. */
export function createSchema(prefix = ''): GraphQLSchema {
  const typeDefs = prefixTypes(readTypeDefs(), prefix);
  const schema = makeExecutableSchema({ typeDefs, resolvers: createResolvers(prefix) });
  return withRootFields(schema, {
    Query: reads satisfies EntriesOf<QueryResolvers>,
    Mutation: writes satisfies EntriesOf<MutationResolvers>,
  });
}

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
    resolvers: [createResolvers(prefix), types],
  });
  return withRootFields(schema, {
    Mutation: writes,
    Query: {
      ...reads,
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
        SHARED_TYPE.test(node.name.value) ? withoutDescription(node) : undefined,
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

/** Entries by the name of their root type and their own. */
type RootFieldEntries = Readonly<Record<'Mutation' | 'Query', Readonly<Record<string, FieldEntry>>>>;

/** Lets the entries resolve the root fields, and checks find them. IDs are exact. */
function withRootFields(schema: GraphQLSchema, entries: RootFieldEntries): GraphQLSchema {
  schema.getTypeMap()[ExactId.name] = ExactId; // the built-in type is shared by all schemas of a process
  healSchema(schema);
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const entry = entries[type?.name as keyof RootFieldEntries][field.name];
      if (entry === undefined) throw new Error(`Expected an entry for the field ${field.name}`);
      field.resolve = entry.resolve.bind(entry);
      field.extensions = { ...field.extensions, entry };
    }
  }
  return schema;
}

/** The resolvers of types of a schema whose types have this prefix. */
function createResolvers(prefix: string) {
  return prefixResolvers({ ...(typeResolvers satisfies DemandedResolvers), ...scalars }, prefix);
}

/** Merges the SDL files in schema/, and the extra file if given, into one document that defines each type once. */
export function readTypeDefs(extraFile?: string): DocumentNode {
  const folder = new URL('../../schema/', import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith('.graphql'));
  const texts = [...files, ...(extraFile === undefined ? [] : [extraFile])].map((file) =>
    readFileSync(new URL(file, folder), 'utf8'),
  );
  return mergeTypeDefs(texts, { useSchemaDefinition: false });
}

/** Types that get no prefix because other subgraphs, routers and GraphQL itself find them by name. */
const SHARED_TYPE = /^(?:Query|Mutation|_.*|Boolean|Float|ID|Int|String)$/;

/** In definitions and references. A document, not a schema: the SDL for composition is printed from it, with its directives. */
function prefixTypes(document: DocumentNode, prefix: string): DocumentNode {
  if (prefix === '') return document;
  return visit(document, {
    enter: (node) =>
      (node.kind === Kind.NAMED_TYPE || isTypeDefinitionNode(node) || isTypeExtensionNode(node)) &&
      !SHARED_TYPE.test(node.name.value)
        ? { ...node, name: { ...node.name, value: `${prefix}${node.name.value}` } }
        : undefined,
  });
}

/** The resolvers of renamed types, by their new names; type resolvers return these, too. */
function prefixResolvers(resolvers: Readonly<Record<string, object>>, prefix: string) {
  const entries = Object.entries(resolvers).map(([name, type]) => {
    const { __resolveType: resolveType }: { __resolveType?: (value: unknown) => string } = type;
    const renamed = prefix !== '' &&
      resolveType && { __resolveType: (value: unknown) => `${prefix}${resolveType(value)}` };
    return [`${prefix}${name}`, { ...type, ...renamed }] as const;
  });
  return Object.fromEntries(entries);
}

/** The compiler demands an entry for each field, with rules for all of its arguments; a bulk field has them from its single write. */
type EntriesOf<Fields> = Required<Fields> & {
  readonly [Name in keyof Fields]-?:
    | BulkField<never, unknown>
    | {
        args: (settings: never) => {
          shape: Record<keyof ArgumentsOf<NonNullable<Fields[Name]>>, ZodType>;
        };
      };
};

type ArgumentsOf<Resolver> = Parameters<Extract<Resolver, (...args: never) => unknown>>[1];

/** The compiler demands a resolver for each field that the objects of a type do not have under its name. */
type DemandedResolvers = {
  [Type in keyof ObjectTypes as MissingFields<Type> extends never ? never : Type]: Required<
    Pick<ObjectTypes[Type], MissingFields<Type>>
  >;
};
type MissingFields<Type extends keyof ObjectTypes> = Exclude<
  keyof ObjectTypes[Type],
  symbol | '__isTypeOf' | '__resolveType' | keyof ResolversParentTypes[Type]
>;
/** The resolvers of each type; the values of scalars have no fields. */
type ObjectTypes = {
  [
    Type in keyof Resolvers & keyof ResolversParentTypes as ResolversParentTypes[Type] extends object
      ? Type
      : never
  ]-?: NonNullable<Resolvers[Type]>;
};
