/** Composes the supergraph of Hive Gateway from the REST contract. */
import { defineConfig } from '@graphql-mesh/compose-cli';
import { loadOpenAPISubgraph } from '@omnigraph/openapi';

export const composeConfig = defineConfig({
  subgraphs: [
    {
      sourceHandler: loadOpenAPISubgraph('freight', {
        source: new URL('../../seeds/openapi.yaml', import.meta.url).pathname,
        endpoint: process.env.UPSTREAM_URL,
        operationHeaders: { authorization: '{context.headers.authorization}' },
      }),
    },
  ],
});
