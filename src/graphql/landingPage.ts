import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import { EXAMPLE_TOKEN, examples } from '../explorer/examples.js';

/** The page that browsers get from the GraphQL endpoint: Apollo Sandbox with the examples, or none. */
export function landingPage({ enabled }: { enabled: boolean }): ApolloServerPlugin {
  if (!enabled) return ApolloServerPluginLandingPageDisabled();
  return ApolloServerPluginLandingPageLocalDefault({
    document: examples.map(({ document }) => document).join('\n\n'),
    variables: Object.assign({}, ...examples.map(({ variables }) => variables)) as Record<string, unknown>,
    headers: { authorization: `Bearer ${EXAMPLE_TOKEN}` },
    includeCookies: false,
    footer: false,
    embed: { runTelemetry: false },
  });
}
