import { readdirSync, readFileSync } from 'node:fs';
import { mergeTypeDefs } from '@graphql-tools/merge';
import { makeExecutableSchema } from '@graphql-tools/schema';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { resolvers } from '../resolvers/index.js';
import { scalars } from '../resolvers/scalars.js';

/** The executable schema that every caller sees: the SDL files of schema/ and the resolvers. */
export function createSchema(): GraphQLSchema {
  return makeExecutableSchema({ typeDefs: readTypeDefs(), resolvers: [resolvers, scalars] });
}

/** The SDL files of schema/ as one document, each type whole and in one place, with a further file when one is named. */
export function readTypeDefs(extraFile?: string): DocumentNode {
  const folder = new URL('../../schema/', import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith('.graphql'));
  const texts = [...files, ...(extraFile === undefined ? [] : [extraFile])].map((file) =>
    readFileSync(new URL(file, folder), 'utf8'),
  );
  return mergeTypeDefs(texts, { useSchemaDefinition: false });
}
