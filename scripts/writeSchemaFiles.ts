/** Writes the SDL and the introspection result of the public schema, the SDL of the subgraph, and the JSON Schema of the configuration, to
 * dist/, for tools. */
import { writeFileSync } from 'node:fs';
import { introspectionFromSchema, print } from 'graphql';
import { createConfigSchema } from '../src/config/jsonSchema.js';
import { createSchema, readTypeDefs } from '../src/graphql/schema.js';
import { federationSdl } from '../src/graphql/subgraph.js';

const folder = new URL('../dist/', import.meta.url);
const introspection = introspectionFromSchema(createSchema());

writeFileSync(new URL('schema.graphql', folder), `${print(readTypeDefs())}\n`);
writeFileSync(new URL('subgraph.graphql', folder), `${federationSdl()}\n`);
writeFileSync(new URL('introspection.json', folder), `${JSON.stringify(introspection, null, 2)}\n`);
writeFileSync(new URL('config.schema.json', folder), `${JSON.stringify(createConfigSchema(), null, 2)}\n`);
