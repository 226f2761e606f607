/** The probes of graphql-cop, a security scanner, and what it concludes from the responses. It must find nothing in production. */
import { expect, test } from 'vitest';
import { useGateway } from '../support/gateway/gateway.js';
const gateway = useGateway();

/** The parts of a response from which the scanner draws conclusions. */
interface Probed {
  /** Python's `requests` takes a response with an error status for false. */
  ok: boolean;
  text: string;
  /** The body, or undefined if it is not JSON. */
  json:
    | {
        data?: Record<string, unknown> | null;
        errors?: { message: string; extensions?: Record<string, unknown> }[];
        extensions?: Record<string, unknown>;
      }
    | undefined;
}

async function send(url: string, init?: RequestInit): Promise<Probed> {
  const response = await fetch(url, init);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { ok: response.ok, text, json: isJson ? (JSON.parse(text) as Probed['json']) : undefined };
}

const postJson = (body: unknown) =>
  send(gateway.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const operation = (query: string) => postJson({ query, operationName: 'cop' });
const get = (query: string) => send(`${gateway.url}?query=${encodeURIComponent(query)}`);
const typesOf = ({ json }: Probed) =>
  (json?.data?.['__schema'] as { types: unknown[] } | undefined)?.types ?? [];
const hasExtension = ({ json }: Probed, name: string) =>
  json?.errors?.[0]?.extensions?.[name] !== undefined || json?.extensions?.[name] !== undefined;

const probes: [finding: string, probe: () => Promise<Probed>, isFound: (response: Probed) => boolean][] = [
  [
    'field suggestions',
    () => operation('query cop { __schema { directive } }'),
    ({ json }) => json?.errors?.[0]?.message.includes('Did you mean') === true,
  ],
  [
    'introspection',
    () => operation('query cop { __schema { types { name fields { name } } } }'),
    (response) => typesOf(response).length > 0,
  ],
  [
    'an IDE for browsers',
    () => send(gateway.url, { headers: { accept: 'text/html' } }),
    ({ ok, text }) => ok && /graphiql\.min\.css|GraphQL Playground|GraphiQL|graphql-playground/.test(text),
  ],
  [
    'queries by GET',
    () => get('query cop {__typename}'),
    ({ ok, json }) => ok && json?.data?.['__typename'] !== undefined,
  ],
  [
    'more than 100 aliases',
    () =>
      operation(`query cop { ${Array.from({ length: 101 }, (_, n) => `alias${n}:__typename \n`).join('')} }`),
    ({ json }) => json?.data?.['alias100'] !== undefined,
  ],
  [
    'batches of operations',
    () => postJson(Array.from({ length: 10 }, () => ({ query: 'query cop { __typename }' }))),
    ({ json }) => json !== undefined && Object.keys(json).length >= 10,
  ],
  ['traces', () => operation('query cop { __typename }'), (response) => hasExtension(response, 'tracing')],
  [
    'any number of directives',
    () => operation(`query cop { __typename ${'@aa'.repeat(10)} }`),
    ({ json }) => json?.errors?.length === 10,
  ],
  [
    'circular introspection',
    () =>
      operation(
        `query cop { __schema { types { ${'fields { type { '.repeat(4)}name${' } }'.repeat(4)} } } }`,
      ),
    (response) => typesOf(response).length > 25,
  ],
  [
    'mutations by GET',
    () => get('mutation cop {__typename}'),
    ({ ok, json }) => ok && json?.data?.['__typename'] !== undefined,
  ],
  [
    'URL-encoded operations by POST',
    () =>
      send(gateway.url, { method: 'POST', body: new URLSearchParams({ query: 'query cop { __typename }' }) }),
    ({ ok, json }) => ok && json?.data?.['__typename'] !== undefined,
  ],
  [
    'errors that are not handled',
    () => operation('qwerty cop { abc }'),
    (response) => hasExtension(response, 'exception'),
  ],
];

test.each(probes)('the scanner finds no %s', async (_finding, probe, isFound) => {
  const response = await probe();
  expect(response.json).toBeDefined();
  expect({ text: response.text, isFound: isFound(response) }).toMatchObject({ isFound: false });
});

test('the scanner has twelve probes', () => {
  expect(probes.length).toBe(12);
});

test('rejects an unknown directive for every place up to a limit', async () => {
  const { json } = await operation(`query cop { __typename ${'@aa'.repeat(10)} }`);
  expect(json?.errors?.map(({ message }) => message)).toEqual([
    ...Array.from({ length: 5 }, () => 'Unknown directive "@aa".'),
    'Too many validation errors, error limit reached. Validation aborted.',
  ]);
});
