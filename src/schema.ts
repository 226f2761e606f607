import { readdirSync, readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import type { GraphQLSchema } from 'graphql';
import { resolvers } from './resolvers/index.js';
import { scalars } from './resolvers/scalars.js';

/** The executable schema: the SDL files of schema/ and the resolvers. */
export function createSchema(): GraphQLSchema {
  const folder = new URL('../schema/', import.meta.url);
  const typeDefs = readdirSync(folder)
    .filter((file) => file.endsWith('.graphql'))
    .map((file) => readFileSync(new URL(file, folder), 'utf8'));
  return makeExecutableSchema({ typeDefs, resolvers: [resolvers, scalars] });
}
