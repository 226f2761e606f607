/** Writes the SDL and the introspection result of the public schema, the SDL of the subgraph, and the JSON Schemas of the configuration and of the
 * report of a probe, to dist/, for tools. */
import { writeFileSync } from 'node:fs';
import { introspectionFromSchema, print } from 'graphql';
import { createConfigSchema } from '../src/config/jsonSchema.js';
import { createSchema, readTypeDefs } from '../src/graphql/schema.js';
import { federationSdl } from '../src/graphql/subgraph.js';
import { createProbeSchema } from '../src/probe/report.js';

const folder = new URL('../dist/', import.meta.url);
const introspection = introspectionFromSchema(createSchema());

writeFileSync(new URL('schema.graphql', folder), `${print(readTypeDefs())}\n`);
writeFileSync(new URL('subgraph.graphql', folder), `${federationSdl()}\n`);
writeFileSync(new URL('introspection.json', folder), `${JSON.stringify(introspection, null, 2)}\n`);
writeFileSync(new URL('config.schema.json', folder), `${JSON.stringify(createConfigSchema(), null, 2)}\n`);
writeFileSync(new URL('probe.schema.json', folder), `${JSON.stringify(createProbeSchema(), null, 2)}\n`);
