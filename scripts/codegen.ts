/**
 * Writes the types of resolvers, src/generated/resolvers.ts; with --check, it fails if they do not fit the schema. It calls the plugins of
 * GraphQL Code Generator itself, because the generator's own command would add 200 packages.
 *
 * Usage: npm run codegen, npm run codegen:check
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { codegen } from '@graphql-codegen/core';
import * as typescript from '@graphql-codegen/typescript';
import * as typescriptResolvers from '@graphql-codegen/typescript-resolvers';
import { mergeTypeDefs } from '@graphql-tools/merge';
import { buildASTSchema, lexicographicSortSchema, parse, printSchema } from 'graphql';

const OUTPUT = 'src/generated/resolvers.ts';

const mappersFile = readFileSync('src/freight/contract.mappers.ts', 'utf8');
const mappedTypes = [...mappersFile.matchAll(/^export type (\w+)Mapper\b/gm)].map(([, type = '']) => type);

const files = readdirSync('schema').filter((file) => file.endsWith('.graphql'));
const typeDefs = mergeTypeDefs(files.map((file) => readFileSync(`schema/${file}`, 'utf8')));
const schema = lexicographicSortSchema(buildASTSchema(typeDefs));

const generated = await codegen({
  filename: OUTPUT,
  schema: parse(printSchema(schema)),
  schemaAst: schema,
  documents: [],
  plugins: [{ typescript: {} }, { typescriptResolvers: {} }],
  pluginMap: { typescript, typescriptResolvers },
  config: {
    importExtension: '.js',
    contextType: '../fields/context.js#GatewayContext',
    useTypeImports: true,
    enumsAsTypes: true,
    immutableTypes: true,
    strictScalars: true,
    defaultScalarType: 'unknown',
    scalars: {
      DateTime: 'string',
      EmailAddress: 'string',
      ID: 'string',
      JSON: 'unknown',
      JSONObject: 'Record<string, unknown>',
      PhoneNumber: 'string',
    },
    // Resolvers may return promises; arguments never are.
    maybeValue: 'T | null | Promise<T | null>',
    inputMaybeValue: 'T | null',
    mappers: Object.fromEntries(
      mappedTypes.map((type) => [type, `../freight/contract.mappers.js#${type}Mapper`]),
    ),
  },
});

if (!process.argv.includes('--check')) writeFileSync(OUTPUT, generated);
else if (readFileSync(OUTPUT, 'utf8') !== generated) {
  process.stderr.write(`${OUTPUT} does not fit the schema: run "npm run codegen"\n`);
  process.exitCode = 1;
}
