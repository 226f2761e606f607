/** GraphiQL's connection to the gateway. */
import type { ComponentProps } from 'react';
import type { GraphiQL } from 'graphiql';
import type { ExecutionResult, FormattedExecutionResult } from 'graphql';
import { introspectionQuery, prepareIntrospection } from './introspection.js';
import { lastExchange, type TracedCall } from './lastExchange.js';
import { settings, tokenIn } from './settings.js';

type Fetcher = ComponentProps<typeof GraphiQL>['fetcher'];

interface Response {
  status: string | undefined;
  requestId: string | undefined;
  bytes: number;
  result: FormattedExecutionResult;
}

export function createFetcher(url: string): Fetcher {
  return async (operation, options) => {
    if (operation.operationName === 'IntrospectionQuery')
      return prepareIntrospection(
        toResult((await send(url, { query: introspectionQuery }, authorization())).result),
      );

    const { dryRun, trace, idempotencyKey } = settings.get();
    lastExchange.set(undefined);
    const startedAt = performance.now();
    const { result, ...response } = await send(url, operation, {
      ...authorization(),
      ...(trace && { 'x-gateway-trace': '1' }),
      ...(dryRun && { 'x-gateway-dry-run': '1' }),
      ...(idempotencyKey.trim() !== '' && { 'idempotency-key': idempotencyKey.trim() }),
      ...(options?.headers as Record<string, string> | undefined),
    });
    const { extensions: { trace: calls, ...extensions } = {}, ...shown } = result;
    const durationMs = performance.now() - startedAt;
    lastExchange.set({ ...response, durationMs, calls: calls as readonly TracedCall[] | undefined });
    // The page lists the calls below the result.
    return toResult(Object.keys(extensions).length > 0 ? { ...shown, extensions } : shown);
  };
}

function authorization(): Record<string, string> {
  const token = tokenIn(settings.get().token);
  return token === '' ? {} : { authorization: `Bearer ${token}` };
}

/** Never rejects: GraphiQL would show the stack of the error. */
async function send(url: string, body: object, headers: Record<string, string>): Promise<Response> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    const status = `${response.status} ${response.statusText}`.trim();
    return {
      status,
      requestId: response.headers.get('x-request-id') ?? undefined,
      bytes: new Blob([text]).size,
      result: parseResult(text, status),
    };
  } catch (error) {
    return {
      status: undefined,
      requestId: undefined,
      bytes: 0,
      result: failure(describeFailure(url, error)),
    };
  }
}

function parseResult(text: string, status: string): FormattedExecutionResult {
  const result = parseJson(text);
  return typeof result === 'object' && result !== null
    ? result
    : failure(
        `Expected a JSON object from the gateway, got something else with the status ${status}. Check the proxies in front of it.`,
      );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describeFailure(url: string, error: unknown): string {
  const { origin } = new URL(url, location.href);
  // fetch() throws a TypeError for every network failure, but also for a header that cannot be sent.
  return error instanceof TypeError && !/header|latin|ByteString/i.test(error.message)
    ? `The gateway at ${origin} does not respond. Check that it is running and that you are online.`
    : `The request could not be sent: ${String(error)}`;
}

function failure(message: string): FormattedExecutionResult {
  return { errors: [{ message }] };
}

/** GraphiQL's type has errors as thrown, but it only prints them. */
function toResult(result: FormattedExecutionResult): ExecutionResult {
  return result as unknown as ExecutionResult;
}
