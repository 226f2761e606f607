import { readFileSync } from 'node:fs';
import type { CodegenConfig } from '@graphql-codegen/cli';

const mappersFile = readFileSync(new URL('src/freight/contract.mappers.ts', import.meta.url), 'utf8');
const mappedTypes = [...mappersFile.matchAll(/^export type (\w+)Mapper\b/gm)].map(([, type = '']) => type);

const config: CodegenConfig = {
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
