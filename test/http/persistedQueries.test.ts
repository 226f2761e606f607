/** Automatic persisted queries: off unless there is room for them, and never more than that. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';

const ROOM_BYTES = 2000;

let off: TestGateway;
let on: TestGateway;
beforeAll(async () => {
  off = await startGateway();
  on = await startGateway({ env: { APQ_CACHE_BYTES: String(ROOM_BYTES) } });
});
afterAll(async () => {
  await off.stop();
  await on.stop();
});

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
/** Operations of one length. */
const operation = (index: number) => `{ a${String(index).padStart(5, '0')}: __typename }`;

async function send({ url }: TestGateway, parameters: object) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(parameters),
  });
  const { data, errors } = (await response.json()) as {
    data?: unknown;
    errors?: { message: string; extensions: { code: string } }[];
  };
  return { status: response.status, data, codes: errors?.map(({ extensions }) => extensions.code) };
}

const byHash = (query: string) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash: hashOf(query) } },
});

test('they are off by default', async () => {
  for (const parameters of [
    byHash('{ __typename }'),
    { query: '{ __typename }', ...byHash('{ __typename }') },
  ])
    expect(await send(off, parameters)).toEqual({
      status: 200,
      data: undefined,
      codes: ['PERSISTED_QUERY_NOT_SUPPORTED'],
    });
});

test('one that was sent with its text is known by its hash', async () => {
  const query = '{ __typename }';
  expect((await send(on, byHash(query))).codes).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
  expect((await send(on, { query, ...byHash(query) })).data).toEqual({ __typename: 'Query' });
  expect(await send(on, byHash(query))).toEqual({
    status: 200,
    data: { __typename: 'Query' },
    codes: undefined,
  });
});

test.each<[string, object]>([
  ['the hash of another text', { query: '{ __typename }', ...byHash('{ notifications { messages } }') }],
  [
    'another version',
    { extensions: { persistedQuery: { version: 2, sha256Hash: hashOf('{ __typename }') } } },
  ],
  ['no version', { extensions: { persistedQuery: { sha256Hash: hashOf('{ __typename }') } } }],
])('%s is an error of the caller', async (_what, parameters) => {
  expect(await send(on, parameters)).toEqual({ status: 400, data: undefined, codes: ['BAD_REQUEST'] });
  expect(on.logLines.filter(({ level }) => Number(level) >= 40)).toEqual([]);
});

test('what is invalid, or beyond a limit, is not kept', async () => {
  for (const query of ['{ colour }', `{ ${'__typename '.repeat(1000)} }`]) {
    expect((await send(on, { query, ...byHash(query) })).status).toBe(400);
    expect((await send(on, byHash(query))).codes).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
  }
});

test('of very many only the latest are kept, as far as there is room', async () => {
  const COUNT = 1000;
  for (let index = 0; index < COUNT; index += 1) {
    const query = operation(index);
    expect((await send(on, { query, ...byHash(query) })).status).toBe(200);
  }
  const kept: number[] = [];
  for (let index = 0; index < COUNT; index += 1)
    if ((await send(on, byHash(operation(index)))).data !== undefined) kept.push(index);
  expect(kept.length * operation(0).length).toBeLessThanOrEqual(ROOM_BYTES);
  expect(kept.length).toBeGreaterThan(10);
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => COUNT - kept.length + index));
});
