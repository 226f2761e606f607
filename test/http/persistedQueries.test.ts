/** Automatic persisted queries (APQ): disabled by default, and limited to APQ_CACHE_BYTES. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { useGateway, type TestGateway } from '../support/gateway/gateway.js';
import { post } from '../support/http/post.js';

const CACHE_BYTES = 700;
const defaultGateway = useGateway();
const apqGateway = useGateway({ env: { APQ_CACHE_BYTES: String(CACHE_BYTES) } });

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
/** All operations have the same length, so that the cache holds a fixed number of them. */
const operation = (index: number) => `{ a${String(index).padStart(5, '0')}: __typename }`;

async function send({ url }: TestGateway, parameters: object) {
  const { status, data, errors } = await post(url, parameters, { token: null });
  return { status, data, codes: errors?.map(({ extensions }) => extensions['code']) };
}

const byHash = (query: string) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash: hashOf(query) } },
});

test('rejects automatic persisted queries by default', async () => {
  for (const parameters of [
    byHash('{ __typename }'),
    { query: '{ __typename }', ...byHash('{ __typename }') },
  ])
    expect(await send(defaultGateway, parameters)).toEqual({
      status: 422,
      data: undefined,
      codes: ['PERSISTED_QUERY_NOT_SUPPORTED'],
    });
});

test('finds an operation by its hash once it was sent with its text', async () => {
  const query = '{ __typename }';
  expect((await send(apqGateway, byHash(query))).codes).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
  expect((await send(apqGateway, { query, ...byHash(query) })).data).toEqual({ __typename: 'Query' });
  expect(await send(apqGateway, byHash(query))).toEqual({
    status: 200,
    data: { __typename: 'Query' },
    codes: undefined,
  });
});

test.each<[string, object]>([
  ['the hash of another operation', { query: '{ __typename }', ...byHash('{ notifications { messages } }') }],
  [
    'an unsupported version',
    { extensions: { persistedQuery: { version: 2, sha256Hash: hashOf('{ __typename }') } } },
  ],
  ['no version', { extensions: { persistedQuery: { sha256Hash: hashOf('{ __typename }') } } }],
])('rejects a request with %s and logs no warning', async (_problem, parameters) => {
  expect(await send(apqGateway, parameters)).toEqual({
    status: 422,
    data: undefined,
    codes: ['BAD_REQUEST'],
  });
  expect(apqGateway.logLines.filter(({ level }) => Number(level) >= 40)).toEqual([]);
});

test('does not cache operations that are invalid or exceed a limit', async () => {
  for (const query of ['{ color }', `{ ${'__typename '.repeat(1000)} }`]) {
    expect((await send(apqGateway, { query, ...byHash(query) })).status).toBe(422);
    expect((await send(apqGateway, byHash(query))).codes).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
  }
});

test('keeps only the latest operations that fit into APQ_CACHE_BYTES', async () => {
  const COUNT = 120; // four times as many as fit
  for (let index = 0; index < COUNT; index += 1) {
    const query = operation(index);
    expect((await send(apqGateway, { query, ...byHash(query) })).status).toBe(200);
  }
  const cached: number[] = [];
  for (let index = 0; index < COUNT; index += 1)
    if ((await send(apqGateway, byHash(operation(index)))).data !== undefined) cached.push(index);
  expect(cached.length * operation(0).length).toBeLessThanOrEqual(CACHE_BYTES);
  expect(cached.length).toBeGreaterThan(10);
  expect(cached).toEqual(Array.from({ length: cached.length }, (_, index) => COUNT - cached.length + index));
});
