/** GraphQL Code Generator: typed operations, from the schema and the fragments that come with the package. */
import config from 'shipment-graphql-client/codegen.json' with { type: 'json' };

export default {
  schema: 'node_modules/shipment-graphql-client/schema.graphql',
  documents: ['src/**/*.ts', 'node_modules/shipment-graphql-client/operations.graphql'],
  generates: {
    'src/generated/': { preset: 'client', presetConfig: { fragmentMasking: false }, config },
  },
};
