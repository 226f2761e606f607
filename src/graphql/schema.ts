import { readdirSync, readFileSync } from 'node:fs';
import { mergeTypeDefs } from '@graphql-tools/merge';
import { makeExecutableSchema, type IExecutableSchemaDefinition } from '@graphql-tools/schema';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { resolvers } from '../fields/types/index.js';
import { createScalars } from '../fields/types/scalars.js';
import { prefixResolvers, prefixTypes } from './schemaPrefix.js';

/** The public executable schema: the SDL files in schema/ with the resolvers. */
export function createSchema(prefix = ''): GraphQLSchema {
  return makeExecutableSchema({
    typeDefs: prefixTypes(readTypeDefs(), prefix),
    resolvers: createResolvers(prefix),
  });
}

/** The resolvers of a schema whose types have this prefix. */
export function createResolvers(prefix: string): Resolvers[] {
  return [prefixResolvers(resolvers, prefix), createScalars(prefix)] as Resolvers[];
}

type Resolvers = Extract<IExecutableSchemaDefinition['resolvers'], readonly unknown[]>[number];

/** Merges the SDL files in schema/, and the extra file if given, into one document that defines each type once. */
export function readTypeDefs(extraFile?: string): DocumentNode {
  const folder = new URL('../../schema/', import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith('.graphql'));
  const texts = [...files, ...(extraFile === undefined ? [] : [extraFile])].map((file) =>
    readFileSync(new URL(file, folder), 'utf8'),
  );
  return mergeTypeDefs(texts, { useSchemaDefinition: false });
}
