/** Sends the explorer's operations to the gateway. */
import type { ComponentProps } from 'react';
import type { GraphiQL } from 'graphiql';
import { getIntrospectionQuery, type ExecutionResult, type IntrospectionQuery } from 'graphql';

export interface Settings {
  /** Sent as bearer token; none when empty. */
  token: string;
  /** Whether the answer is to list the REST calls. */
  trace: boolean;
}

type Fetcher = ComponentProps<typeof GraphiQL>['fetcher'];

/** The settings are read at each request. */
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
    // GraphiQL would leave out which inputs take exactly one of their fields.
    const query = getIntrospectionQuery({
      oneOf: true,
      schemaDescription: true,
      inputValueDeprecation: true,
    });
    const result = await send({ query });
    return result.data ? { data: tellOneOf(result.data as unknown as IntrospectionQuery) } : result;
  };
}

/** GraphiQL does not show that an input is a `@oneOf` input, but shows descriptions. */
function tellOneOf({ __schema: schema }: IntrospectionQuery) {
  const types = schema.types.map((type) =>
    type.kind === 'INPUT_OBJECT' && type.isOneOf
      ? { ...type, description: `\`@oneOf\` ${type.description ?? ''}` }
      : type,
  );
  return { __schema: { ...schema, types } };
}
