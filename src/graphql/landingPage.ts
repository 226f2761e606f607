import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import { EXAMPLE_TOKEN, examples } from '../explorer/examples.js';
import { withTypePrefix } from '../explorer/example.js';

/** How long a browser waits for Apollo's server, in milliseconds, before it goes to the explorer. */
const SANDBOX_TIMEOUT_MS = 5000;

/** The page that browsers get from the GraphQL endpoint: Apollo Sandbox with the examples, or none. */
export function landingPage({
  enabled,
  schemaPrefix,
}: {
  enabled: boolean;
  schemaPrefix: string;
}): ApolloServerPlugin {
  if (!enabled) return ApolloServerPluginLandingPageDisabled();
  return withFallback(
    ApolloServerPluginLandingPageLocalDefault({
      document: examples.map((example) => withTypePrefix(example, schemaPrefix).document).join('\n\n'),
      variables: Object.assign({}, ...examples.map(({ variables }) => variables)) as Record<string, unknown>,
      headers: { authorization: `Bearer ${EXAMPLE_TOKEN}` },
      includeCookies: false,
      footer: false,
      embed: { runTelemetry: false },
    }),
  );
}

/** Leads to the explorer where the page cannot load Apollo's script. */
function withFallback(plugin: ApolloServerPlugin): ApolloServerPlugin {
  return {
    async serverWillStart(service) {
      const listener = await plugin.serverWillStart?.(service);
      return {
        ...listener,
        async renderLandingPage() {
          const page = await listener?.renderLandingPage?.();
          const html = page?.html ?? '';
          return { html: async () => addFallback(typeof html === 'string' ? html : await html()) };
        },
      };
    },
  };
}

/** Adds a script with the nonce of the page's policy: before those of Apollo, which may take long to fail. */
function addFallback(html: string): string {
  const [, nonce = ''] = /<script nonce="(\w+)"/.exec(html) ?? [];
  const script = `<script nonce="${nonce}">
  {
    const openExplorer = () => { if (!window.EmbeddedSandbox) location.replace('./explorer/'); };
    const timer = setTimeout(openExplorer, ${SANDBOX_TIMEOUT_MS});
    addEventListener('error', ({ target }) => {
      if (target instanceof HTMLScriptElement) { clearTimeout(timer); openExplorer(); }
    }, true);
  }
</script>`;
  return html.replace('<head>', () => `<head>${script}`);
}
