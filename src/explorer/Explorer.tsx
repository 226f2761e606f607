import { GraphiQL } from 'graphiql';
import { useState } from 'react';
import { EXAMPLE_TOKEN, examples } from './examples.js';
import { createFetcher } from './fetcher.js';
import favicon from './favicon.svg';

const TOKEN_KEY = 'token';

/** The toolbar's current values. Mutable because the fetcher outlives a render and reads them for every request. */
const settings = { token: sessionStorage.getItem(TOKEN_KEY) ?? EXAMPLE_TOKEN, trace: true };
const fetcher = createFetcher('../graphql', settings);

const tabs = examples.map(({ document, variables }) => ({
  query: document,
  variables: JSON.stringify(variables, null, 2),
}));

/** JSON Schemas for the variables editor, which otherwise flags objects and lists in custom scalars as errors. */
const customScalarSchemas = { JSON: {}, JSONObject: { type: 'object' as const } };

export function Explorer() {
  return (
    <>
      <Toolbar />
      <GraphiQL
        fetcher={fetcher}
        defaultTabs={tabs}
        defaultQuery=""
        defaultEditorToolsVisibility="variables"
        customScalarSchemas={customScalarSchemas}
        shouldPersistHeaders={false}
        showPersistHeadersSettings={false}
      >
        <GraphiQL.Logo> </GraphiQL.Logo>
      </GraphiQL>
    </>
  );
}

function Toolbar() {
  const [token, setToken] = useState(settings.token);
  const [trace, setTrace] = useState(settings.trace);
  return (
    <header className="toolbar">
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
            // Session storage survives a reload of this tab only. The token never appears in the URL.
            sessionStorage.setItem(TOKEN_KEY, settings.token);
            setToken(target.value);
          }}
        />
      </label>
      <label title="Sends x-gateway-trace: 1, so that the response lists its REST calls">
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
