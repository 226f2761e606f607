import { GraphiQL, HISTORY_PLUGIN } from 'graphiql';
import { ExamplesIcon } from './ExamplesIcon.js';
import { ExamplesPane } from './ExamplesPane.js';
import { ExchangeInfo } from './ExchangeInfo.js';
import { createFetcher } from './fetcher.js';
import { pageExamples, schemaPrefix } from './pageExamples.js';
import { readSharedOperation } from './shareLink.js';
import { ShareButton } from './ShareButton.js';
import { Toolbar } from './Toolbar.js';

const fetcher = createFetcher('../graphql');
const plugins = [{ title: 'Examples', icon: ExamplesIcon, content: ExamplesPane }, HISTORY_PLUGIN];
const [firstExample] = pageExamples;
const shared = readSharedOperation();
const initial = {
  ...(shared.query !== undefined && { initialQuery: shared.query }),
  ...(shared.variables !== undefined && { initialVariables: shared.variables }),
};

/** JSON Schemas for the variables editor, which otherwise flags objects and lists in custom scalars as errors. */
const customScalarSchemas = {
  [`${schemaPrefix}JSON`]: {},
  [`${schemaPrefix}JSONObject`]: { type: 'object' as const },
};

export function Explorer() {
  return (
    <>
      <Toolbar />
      <GraphiQL
        fetcher={fetcher}
        plugins={plugins}
        {...(matchMedia('(min-width: 1000px)').matches && { visiblePlugin: 'Examples' })}
        {...initial}
        defaultQuery={firstExample?.document ?? ''}
        defaultEditorToolsVisibility="variables"
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
            </>
          )}
        </GraphiQL.Toolbar>
        <GraphiQL.Footer>
          <ExchangeInfo />
        </GraphiQL.Footer>
      </GraphiQL>
    </>
  );
}
