/** The list of examples in the side bar, for the schema of the gateway that serves the page. */
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { withTypePrefix, type Example } from './example.js';
import { exampleGroups } from './examples.js';
import { isPhone, lastExchange, settings, tokenIn, usesMockService, useStore } from './state.js';

/** The value of SCHEMA_PREFIX. */
export const schemaPrefix = document.documentElement.dataset['schemaPrefix'] ?? '';

const groups = exampleGroups.map(({ title, examples }) => ({
  title,
  examples: examples
    .filter((example) => usesMockService || example.needs !== 'mock')
    .map((example) => withTypePrefix(example, schemaPrefix)),
}));

export const pageExamples = groups.flatMap(({ examples }) => examples);

export function ExamplesPane() {
  const open = useOpenExample();
  const hasToken = tokenIn(useStore(settings).token) !== '';
  return (
    <div className="examples">
      <h2 className="graphiql-doc-explorer-title">Examples</h2>
      {!hasToken && <p>Without a bearer token, the service rejects some of them: type it above.</p>}
      {groups.map(({ title, examples }) => (
        <section key={title} aria-label={title}>
          <h3>{title}</h3>
          <ul>
            {examples.map((example) => (
              <li key={example.title}>
                <button
                  type="button"
                  disabled={!hasToken && example.needs === 'token'}
                  onClick={() => open(example)}
                >
                  {example.title}
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

/** Opens an example in the current tab, or in a new one rather than overwrite what the user has written. */
function useOpenExample(): (example: Example) => void {
  const actions = useGraphiQLActions();
  const { queryEditor, variableEditor, headerEditor, responseEditor } = useGraphiQL((state) => state);
  return ({ document: text, variables, headers }) => {
    const current = queryEditor?.getValue() ?? '';
    if (current.trim() !== '' && !pageExamples.some((example) => example.document === current))
      actions.addTab();
    lastExchange.set(undefined);
    queryEditor?.setValue(text);
    queryEditor?.setScrollTop(0);
    // GraphiQL parses the text a moment later; until then it would run it under the previous operation's name.
    actions.setOperationName(/^(?:query|mutation) (\w+)/m.exec(text)?.[1] ?? '');
    variableEditor?.setValue(JSON.stringify(variables, null, 2));
    headerEditor?.setValue(headers ? JSON.stringify(headers, null, 2) : '');
    responseEditor?.setValue('');
    // The tab with the example's headers, for which GraphiQL has no action; or that with its variables, unless tabs are hidden.
    if (headers || document.querySelector('[aria-label="Hide editor tools"]'))
      document.querySelector<HTMLElement>(`[data-name="${headers ? 'headers' : 'variables'}"]`)?.click();
    // On a phone the list covers the editor, and focus would open the keyboard. Elsewhere Ctrl-Enter runs the example at once.
    if (isPhone()) actions.setVisiblePlugin(null);
    else queryEditor?.focus();
  };
}

/** A list with bullets. */
export function ExamplesIcon() {
  return (
    <svg viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round">
      <path d="M6 3.5h8M6 8h8M6 12.5h8M2.5 3.5h.01M2.5 8h.01M2.5 12.5h.01" />
    </svg>
  );
}
