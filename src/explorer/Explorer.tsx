import { GraphiQL } from 'graphiql';
import { useState } from 'react';
import { EXAMPLE_TOKEN, examples } from './examples.js';
import { createFetcher } from './fetcher.js';
import favicon from './favicon.svg';

const TOKEN_KEY = 'token';

/** What every request carries, as the bar says at that moment. */
const settings = { token: sessionStorage.getItem(TOKEN_KEY) ?? EXAMPLE_TOKEN, trace: true };
const fetcher = createFetcher('../graphql', settings);

const tabs = examples.map(({ document, variables }) => ({
  query: document,
  variables: JSON.stringify(variables, null, 2),
}));

/** Values that the service does not document: the editor of variables takes any. */
const scalars = { JSON: {}, JSONObject: { type: 'object' as const } };

export function Explorer() {
  return (
    <>
      <Bar />
      <GraphiQL
        fetcher={fetcher}
        defaultTabs={tabs}
        defaultQuery=""
        defaultEditorToolsVisibility="variables"
        customScalarSchemas={scalars}
        shouldPersistHeaders={false}
        showPersistHeadersSettings={false}
      >
        <GraphiQL.Logo> </GraphiQL.Logo>
      </GraphiQL>
    </>
  );
}

function Bar() {
  const [token, setToken] = useState(settings.token);
  const [trace, setTrace] = useState(settings.trace);
  return (
    <header className="bar">
      <h1>
        <img src={favicon} alt="" />
        Shipment GraphQL
      </h1>
      <label>
        Bearer token
        <input
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={token}
          onChange={({ target }) => {
            settings.token = target.value.trim();
            // Kept for a reload of this tab alone, and never in the URL.
            sessionStorage.setItem(TOKEN_KEY, settings.token);
            setToken(target.value);
          }}
        />
      </label>
      <label title="Sends x-gateway-trace: the answer lists the REST calls that were made">
        <input
          type="checkbox"
          checked={trace}
          onChange={({ target }) => {
            settings.trace = target.checked;
            setTrace(target.checked);
          }}
        />
        Show REST calls
      </label>
    </header>
  );
}
