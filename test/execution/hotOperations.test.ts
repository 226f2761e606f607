/** Which requests pass through Apollo Server, and which are executed by compiled code. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApolloServer } from '@apollo/server';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { TOKEN, useGateway, type TestGateway } from '../support/gateway/gateway.js';
import { compiler, untilCompiled } from '../support/execution/compiler.js';
import { SEED_GUID } from '../support/graphql/rootFields.js';
import { post } from '../support/http/post.js';

/** Requests that Apollo Server has executed. */
const executeInApollo = vi.spyOn(ApolloServer.prototype, 'executeHTTPGraphQLRequest');
afterAll(() => executeInApollo.mockRestore());

const READ = 'query ($guids: [ID!]!) { notificationsByGuid(notificationGuids: $guids) { notificationName } }';
const ID = createHash('sha256').update(READ).digest('hex');
const DATA = { data: { notificationsByGuid: [{ notificationName: 'Dock team, arrivals' }] } };
const folder = mkdtempSync(join(tmpdir(), 'manifest-'));
const manifest = join(folder, 'manifest.json');
writeFileSync(manifest, JSON.stringify({ [ID]: READ }));
const open = useGateway();
const safelisted = useGateway({ env: { OPERATIONS_MANIFEST: manifest } });
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  executeInApollo.mockClear();
  compiler.executions = 0;
});

async function send({ url }: TestGateway, parameters: object): Promise<unknown> {
  const { text } = await post(url, { ...parameters, variables: { guids: [SEED_GUID] } });
  return JSON.parse(text);
}

async function get({ url }: TestGateway, parameters: Record<string, string>): Promise<unknown> {
  const query = new URLSearchParams({ ...parameters, variables: JSON.stringify({ guids: [SEED_GUID] }) });
  const headers = { 'apollo-require-preflight': '1', authorization: `Bearer ${TOKEN}` };
  const response = await fetch(`${url}?${query.toString()}`, { headers });
  return response.json();
}

test('Apollo Server gets the first request of a document, and no later POST of it', async () => {
  const query = `${READ} # first`;
  expect(await send(open, { query })).toEqual(DATA);
  expect(executeInApollo).toHaveBeenCalledOnce();
  expect(await send(open, { query })).toEqual(DATA);
  expect(executeInApollo).toHaveBeenCalledOnce();
});

type Send = () => Promise<unknown>;

describe('compiled code executes a hot operation', () => {
  test.each<[form: string, throughApollo: boolean, send: Send]>([
    ['a POST of its text', false, () => send(open, { query: READ })],
    ['a POST of its manifest id as documentId', false, () => send(safelisted, { documentId: ID })],
    ['a POST of its listed text', false, () => send(safelisted, { query: READ })],
    ['a GET of its text', true, () => get(open, { query: READ })],
  ])('for %s (through Apollo Server: %s)', async (_form, throughApollo, sendForm) => {
    await untilCompiled(async () => {
      expect(await sendForm()).toEqual(DATA);
    });
    executeInApollo.mockClear();
    compiler.executions = 0;
    expect(await sendForm()).toEqual(DATA);
    expect([compiler.executions, executeInApollo.mock.calls.length]).toEqual([1, throughApollo ? 1 : 0]);
  });
});
