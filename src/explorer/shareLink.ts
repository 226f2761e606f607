/** Links to an operation: `?query=…&variables=…`. They never run it. */
export interface SharedOperation {
  query: string | undefined;
  /** JSON. */
  variables: string | undefined;
}

export function linkTo({ query = '', variables = '' }: SharedOperation): string {
  const parameters = new URLSearchParams({ query, ...(variables.trim() !== '' && { variables }) });
  return `${location.origin}${location.pathname}?${parameters}`;
}

export function readSharedOperation(): SharedOperation {
  const parameters = new URLSearchParams(location.search);
  return {
    query: parameters.get('query') ?? undefined,
    variables: parameters.get('variables') ?? undefined,
  };
}
