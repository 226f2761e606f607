import { useGraphiQL } from '@graphiql/react';
import { CopyButton } from './CopyButton.js';
import { linkTo } from './shareLink.js';

/** Copies a link to the operation in the editor. */
export function ShareButton() {
  const { queryEditor, variableEditor } = useGraphiQL((state) => state);
  return (
    <CopyButton
      label="Share"
      title="Copy a link to this operation and its variables, without the token"
      text={() => linkTo({ query: queryEditor?.getValue(), variables: variableEditor?.getValue() })}
    />
  );
}
