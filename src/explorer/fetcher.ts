/** GraphiQL's connection to the gateway. */
import type { ComponentProps } from 'react';
import type { GraphiQL } from 'graphiql';
import {
  getIntrospectionQuery,
  type ExecutionResult,
  type FormattedExecutionResult,
  type IntrospectionQuery,
} from 'graphql';
import { shellQuote } from '../domain/text.js';
import { lastExchange, settings, tokenIn, type Exchange } from './state.js';

type Fetcher = ComponentProps<typeof GraphiQL>['fetcher'];

/** GraphiQL's own introspection query omits `isOneOf`. */
const introspectionQuery = getIntrospectionQuery({
  oneOf: true,
  schemaDescription: true,
  inputValueDeprecation: true,
});

export function createFetcher(url: string): Fetcher {
  return async (operation, options) => {
    if (operation.operationName === 'IntrospectionQuery')
      return prepareIntrospection(
        toResult((await send(url, { query: introspectionQuery }, credentials())).result),
      );

    lastExchange.set(undefined);
    const startedAt = performance.now();
    const { result, ...response } = await send(url, operation, {
      ...credentials(),
      ...(settings.get().trace && { 'x-gateway-trace': '1' }),
      ...switches(),
      ...options?.headers,
    });
    const { extensions: { trace: calls, ...extensions } = {}, ...shown } = result;
    const durationMs = performance.now() - startedAt;
    lastExchange.set({ ...response, durationMs, ...summarize(result), calls: calls as Exchange['calls'] });
    // The page lists the calls below the result.
    return toResult(Object.keys(extensions).length > 0 ? { ...shown, extensions } : shown);
  };
}

/** The payload of a mutation, or of an item of one in bulk. */
interface Payload {
  outcome?: string;
  errors?: readonly { code?: string }[];
  results?: readonly Payload[];
}

function summarize({ errors = [], data }: FormattedExecutionResult): Pick<Exchange, 'codes' | 'outcomes'> {
  const extensions = errors.map((error) => (error.extensions ?? {}) as { code?: string; outcome?: string });
  const fields = Object.values(data ?? {}) as (Payload | null)[];
  const payloads = fields.flatMap((field) => [field, ...(field?.results ?? [])]);
  return {
    codes: [...extensions, ...payloads.flatMap((payload) => payload?.errors ?? [])].map(({ code }) => code),
    outcomes: [...outcomesOf(errors), ...payloads.flatMap((payload) => payload?.outcome ?? [])],
  };
}

/** One for each field, or item of a bulk field, however many errors it has. */
function outcomesOf(errors: NonNullable<FormattedExecutionResult['errors']>): string[] {
  const outcomes = new Map<string, string>();
  for (const { path, extensions = {} } of errors) {
    const { outcome, field } = extensions as { outcome?: string; field?: string };
    const place = path ? path.slice(0, typeof path[2] === 'number' ? 3 : 1) : [field];
    if (outcome !== undefined) outcomes.set(JSON.stringify(place), outcome);
  }
  return [...outcomes.values()];
}

function credentials(): Record<string, string> {
  const { token: typed, clientKey } = settings.get();
  const token = tokenIn(typed);
  return {
    ...(token !== '' && { authorization: `Bearer ${token}` }),
    ...(clientKey.trim() !== '' && { 'x-client-key': clientKey.trim() }),
  };
}

function switches(): Record<string, string> {
  const { dryRun, idempotencyKey } = settings.get();
  return {
    ...(dryRun && { 'x-gateway-dry-run': '1' }),
    ...(idempotencyKey.trim() !== '' && { 'idempotency-key': idempotencyKey.trim() }),
  };
}

/**
 * The same request as a command for a POSIX shell, without what lists REST calls for this page. The credentials of the toolbar are variables of the shell.
 * @param headers of the editor of headers
 */
export function curlOf(url: string, body: object, headers: Readonly<Record<string, string>>): string {
  const variables: Record<string, string> = { authorization: 'Bearer $TOKEN', 'x-client-key': '$CLIENT_KEY' };
  const own = { 'content-type': 'application/json', ...switches(), ...headers };
  const credentialNames = Object.keys(credentials()).filter((name) => !(name in own));
  return [
    `curl ${shellQuote(new URL(url, location.href).href)}`,
    ...credentialNames.map((name) => `-H "${name}: ${variables[name] ?? ''}"`),
    ...Object.entries(own).map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`),
    `-d ${shellQuote(JSON.stringify(body))}`,
  ].join(' ');
}

/** Never rejects: GraphiQL would show the stack of the error. */
async function send(url: string, body: object, headers: Record<string, string>) {
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
    const result = failure(describeFailure(url, error));
    return { status: undefined, requestId: undefined, bytes: 0, result };
  }
}

function parseResult(text: string, status: string): FormattedExecutionResult {
  try {
    const result: unknown = JSON.parse(text);
    if (typeof result === 'object' && result !== null) return result;
  } catch {
    // It is not JSON either.
  }
  return failure(
    `Expected a JSON object from the gateway, got something else with the status ${status}. Check the proxies in front of it.`,
  );
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

/** Marks `@oneOf` inputs and hides what only supergraph gateways use. */
function prepareIntrospection(result: ExecutionResult): ExecutionResult {
  if (!result.data) return result;
  const { __schema: schema } = result.data as unknown as IntrospectionQuery;
  const types = schema.types.filter(({ name }) => !isForSubgraphs(name)).map(prepareType);
  return { data: { __schema: { ...schema, types } } };
}

function prepareType(type: IntrospectionQuery['__schema']['types'][number]) {
  // GraphiQL does not mark `@oneOf` inputs, so their descriptions do.
  if (type.kind === 'INPUT_OBJECT' && type.isOneOf)
    return { ...type, description: `\`@oneOf\` ${type.description ?? ''}` };
  if (type.kind === 'OBJECT')
    return { ...type, fields: type.fields.filter(({ name }) => !isForSubgraphs(name)) };
  return type;
}

/** Such as `_entities` and `_Any`; two underscores mark GraphQL's own names. */
function isForSubgraphs(name: string): boolean {
  return /^_(?!_)/.test(name);
}
