/**
 * GraphQL Code Generator: `npm run codegen` writes the types of resolvers, and what the package for front ends knows of the schema. The
 * generator is one of the tools in test/package.json.
 */
import { readFileSync } from 'node:fs';

const MAPPERS = 'src/freight/contract.mappers.ts';
/** Resolvers of a GraphQL type receive the type with its name and this suffix, if there is one. */
const mapperNames = [...readFileSync(MAPPERS, 'utf8').matchAll(/^export type (\w+)Mapper\b/gm)].map(
  ([, name = '']) => name,
);

export default {
  schema: 'schema/*.graphql',
  importExtension: '.js',
  generates: {
    'src/generated/resolvers.ts': {
      plugins: ['typescript', 'typescript-resolvers'],
      config: {
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
          mapperNames.map((name) => [name, `../freight/contract.mappers.js#${name}Mapper`]),
        ),
      },
    },
    'src/client/possibleTypes.ts': { plugins: ['scripts/codegenPossibleTypes.js'] },
  },
};
