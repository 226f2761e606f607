/** GraphiQL's connection to the gateway. */
import type { ComponentProps } from 'react';
import type { GraphiQL } from 'graphiql';
import { getIntrospectionQuery, type ExecutionResult, type IntrospectionQuery } from 'graphql';

export interface Settings {
  /** Bearer token; if empty, no Authorization header is sent. */
  token: string;
  /** Whether the response lists its REST calls. */
  trace: boolean;
}

type Fetcher = ComponentProps<typeof GraphiQL>['fetcher'];

/** Reads `settings` for every request, so changes apply at once. */
export function createFetcher(url: string, settings: Readonly<Settings>): Fetcher {
  const send = async (body: object, headers: Record<string, string> = {}): Promise<ExecutionResult> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(settings.token !== '' && { authorization: `Bearer ${settings.token}` }),
        ...(settings.trace && { 'x-gateway-trace': '1' }),
        ...headers,
      },
      body: JSON.stringify(body),
    });
    return (await response.json()) as ExecutionResult;
  };

  return async (operation, options) => {
    if (operation.operationName !== 'IntrospectionQuery') return send(operation, options?.headers);
    // GraphiQL's own introspection query omits `isOneOf`.
    const query = getIntrospectionQuery({
      oneOf: true,
      schemaDescription: true,
      inputValueDeprecation: true,
    });
    const result = await send({ query });
    return result.data ? { data: labelOneOfInputs(result.data as unknown as IntrospectionQuery) } : result;
  };
}

/** GraphiQL does not mark `@oneOf` inputs, so their descriptions do. */
function labelOneOfInputs({ __schema: schema }: IntrospectionQuery) {
  const types = schema.types.map((type) =>
    type.kind === 'INPUT_OBJECT' && type.isOneOf
      ? { ...type, description: `\`@oneOf\` ${type.description ?? ''}` }
      : type,
  );
  return { __schema: { ...schema, types } };
}
