/** The hooks of the package for front ends on a server, and their types. Chromium runs them (test/system/consumers/clientInBrowser.test.ts). */
import type { ApolloClient } from '@apollo/client';
import type { OperationResult } from '@urql/core';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { createBatch } from '../../src/client/batch.js';
import { createIntent } from '../../src/client/index.js';
import { createList } from '../../src/client/list.js';
import { useBatch, useWrite } from '../../src/client/react.js';
import { memoryStorage } from './support/memoryStorage.js';

/** What a component renders on a server, and again in the browser before that has its storage. */
const render = (component: () => string) => renderToString(createElement(component));

test('a restored list is empty in the HTML of a server, and in the first rendering of the browser', () => {
  const storage = memoryStorage();
  createList({ name: 'loads', storage }).start([{ input: {} }]);
  const list = createList<{ input: object }>({ name: 'loads', storage });
  const batch = createBatch({ list, field: 'trackShipments', send: () => Promise.resolve({}) });
  expect(list.getSnapshot().items).toHaveLength(1);
  expect(render(() => `${useBatch(batch).items.length} items`)).toBe('0 items');
});

test('what is known of an intent from before a reload is not in the HTML of a server', () => {
  const storage = memoryStorage();
  const variables = { notificationGuid: 'a' };
  createIntent({ name: 'deletion', storage }).keyFor(variables);
  const Component = () => {
    const send = (given: typeof variables & { idempotencyKey: string }): Promise<unknown> =>
      Promise.resolve(given);
    const hook = useWrite('deleteNotification', send, { name: 'deletion', storage });
    return `${hook.resultFor(variables)?.outcome ?? 'nothing'} ${hook.mayDouble({ notificationGuid: 'b' })}`;
  };
  expect(render(Component)).toBe('nothing false');
});

interface Data {
  createNotification?: { outcome: string } | null;
}
interface Variables {
  input: object;
  idempotencyKey: string;
}

type Send<Response> = (variables: Variables) => Promise<Response>;

/** Compiled, never called. */
export function fieldsAreTyped(): void {
  const apollo: Send<ApolloClient.MutateResult<Data>> = () =>
    Promise.resolve({} as ApolloClient.MutateResult<Data>);
  const urql: Send<OperationResult<Data>> = () => Promise.resolve({} as OperationResult<Data>);
  const response: Send<{ data: Data | null }> = () => Promise.resolve({} as { data: Data | null });
  const unknown: Send<unknown> = () => Promise.resolve({});
  const untyped: Send<ApolloClient.MutateResult> = () => Promise.resolve({} as ApolloClient.MutateResult);
  useWrite('createNotification', apollo);
  useWrite('createNotification', urql);
  useWrite('createNotification', response);
  useWrite('anything', unknown);
  useWrite('anything', untyped);
  // @ts-expect-error -- misspelled
  useWrite('createNotifications', apollo);
  // @ts-expect-error -- misspelled
  useWrite('createNotifications', urql);
  // @ts-expect-error -- misspelled
  useWrite('createNotifications', response);
}
