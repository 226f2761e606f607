/** The page of the explorer: editor workers, styles, root component. */
import 'graphiql/setup-workers/vite';
import 'graphiql/style.css';
import './style.css';
import './exchange.css';
import { tryParseJSONC, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { GraphiQL, HISTORY_PLUGIN } from 'graphiql';
import { useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { CopyButton } from './CopyButton.js';
import { ExamplesIcon, ExamplesPane, pageExamples, schemaPrefix } from './ExamplesPane.js';
import { ExchangePanel } from './ExchangePanel.js';
import { createFetcher, curlOf } from './fetcher.js';
import { isPhone, usesMockService } from './state.js';
import { Toolbar } from './Toolbar.js';

const GRAPHQL = '../graphql';
const fetcher = createFetcher(GRAPHQL);
const plugins = [{ title: 'Examples', icon: ExamplesIcon, content: ExamplesPane }, HISTORY_PLUGIN];
const [firstExample] = pageExamples;
/** Links to an operation: `?query=…&variables=…`. They never run it. */
const shared = new URLSearchParams(location.search);
const initial = {
  ...(shared.has('query') && { initialQuery: shared.get('query') ?? '' }),
  ...(shared.has('variables') && { initialVariables: shared.get('variables') ?? '' }),
};

/** GraphiQL keeps its tabs: what a user has written is never run by itself. */
let isFirstVisit =
  usesMockService && !shared.has('query') && localStorage.getItem('graphiql:tabState') === null;

/** JSON Schemas for the variables editor, which otherwise flags objects and lists in custom scalars as errors. */
const customScalarSchemas = {
  [`${schemaPrefix}JSON`]: {},
  [`${schemaPrefix}JSONObject`]: { type: 'object' as const },
};

function Explorer() {
  return (
    <>
      <Toolbar />
      <GraphiQL
        fetcher={fetcher}
        plugins={plugins}
        {...(matchMedia('(min-width: 1000px)').matches && { visiblePlugin: 'Examples' })}
        {...initial}
        defaultQuery={firstExample?.document ?? ''}
        defaultEditorToolsVisibility={isPhone() ? false : 'variables'}
        customScalarSchemas={customScalarSchemas}
        shouldPersistHeaders={false}
        showPersistHeadersSettings={false}
      >
        <GraphiQL.Logo> </GraphiQL.Logo>
        <GraphiQL.Toolbar>
          {({ prettify, merge, copy }) => (
            <>
              {prettify}
              {merge}
              {copy}
              <ShareButton />
              <CurlButton />
              <LineWrap />
              <FirstRun />
              <RunKey />
            </>
          )}
        </GraphiQL.Toolbar>
        <GraphiQL.Footer>
          <ExchangePanel />
        </GraphiQL.Footer>
      </GraphiQL>
    </>
  );
}

function ShareButton() {
  const { queryEditor, variableEditor } = useGraphiQL((state) => state);
  return (
    <CopyButton
      label="Share"
      title="Copy a link to this operation and its variables, without the token"
      text={() => linkTo(queryEditor?.getValue(), variableEditor?.getValue())}
    />
  );
}

function CurlButton() {
  const { queryEditor, variableEditor, headerEditor, operationName } = useGraphiQL((state) => state);
  const text = () => {
    const variables = tryParseJSONC(variableEditor?.getValue());
    const query = queryEditor?.getValue() ?? '';
    const body = { query, ...(variables && { variables }), ...(operationName && { operationName }) };
    return curlOf(GRAPHQL, body, (tryParseJSONC(headerEditor?.getValue()) ?? {}) as Record<string, string>);
  };
  return (
    <CopyButton
      label="curl"
      title="Copy this request as curl. Set TOKEN in the shell before you run it"
      text={text}
    />
  );
}

/** Wraps long lines, such as comments and long values, which would be cut off. */
function LineWrap() {
  const { queryEditor, variableEditor, headerEditor } = useGraphiQL((state) => state);
  useEffect(() => {
    for (const editor of [queryEditor, variableEditor, headerEditor])
      editor?.updateOptions({ wordWrap: 'on' });
  }, [queryEditor, variableEditor, headerEditor]);
  return null;
}

/** Runs the first example at the first visit, against the mock service alone: the page shows what a response looks like. */
function FirstRun() {
  const actions = useGraphiQLActions();
  const { queryEditor, responseEditor, schema } = useGraphiQL((state) => state);
  const isReady = Boolean(queryEditor && responseEditor && schema);
  useEffect(() => {
    if (isFirstVisit && isReady) actions.run();
    if (isReady) isFirstVisit = false;
  }, [isReady, actions]);
  return null;
}

/** Runs the operation with Ctrl-Enter from everywhere on the page, as the editors do: a click on a switch takes the focus from them. */
function RunKey() {
  const actions = useGraphiQLActions();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isRun = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
      if (!isRun || (event.target as Element).closest('.monaco-editor')) return;
      event.preventDefault();
      actions.run();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [actions]);
  return null;
}

function linkTo(query = '', variables = ''): string {
  const parameters = new URLSearchParams({ query, ...(variables.trim() !== '' && { variables }) });
  return `${location.origin}${location.pathname}?${parameters}`;
}

const root = document.getElementById('explorer');
if (root) createRoot(root).render(<Explorer />);
