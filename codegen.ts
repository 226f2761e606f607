/** GraphQL Code Generator: `npm run codegen` writes the types of resolvers. The generator is one of the tools in test/package.json. */
import { readFileSync } from 'node:fs';

const mappersFile = readFileSync(new URL('src/freight/contract.mappers.ts', import.meta.url), 'utf8');
const mappedTypes = [...mappersFile.matchAll(/^export type (\w+)Mapper\b/gm)].map(([, type = '']) => type);

const config = {
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
          mappedTypes.map((type) => [type, `../freight/contract.mappers.js#${type}Mapper`]),
        ),
      },
    },
  },
};

export default config;
