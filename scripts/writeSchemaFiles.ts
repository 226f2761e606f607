/** Writes the SDL and the introspection result of the public schema, and the SDL of the subgraph, to dist/, for tools. */
import { writeFileSync } from 'node:fs';
import { introspectionFromSchema, print } from 'graphql';
import { createSchema, federationSdl, readTypeDefs } from '../src/graphql/schema.js';

const folder = new URL('../dist/', import.meta.url);
const introspection = introspectionFromSchema(createSchema());

writeFileSync(new URL('schema.graphql', folder), `${print(readTypeDefs())}\n`);
writeFileSync(new URL('subgraph.graphql', folder), `${federationSdl()}\n`);
writeFileSync(new URL('introspection.json', folder), `${JSON.stringify(introspection, null, 2)}\n`);
