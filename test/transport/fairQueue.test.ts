import { beforeEach, describe, expect, test } from 'vitest';
import type { CallClient } from '../../src/transport/calls.js';
import { createFairQueue, type Accounts } from '../../src/transport/fairQueue.js';
import { clientNamed } from '../support/service/callClients.js';

interface Call {
  name: string;
  client: CallClient;
  accounts: Accounts<Call>;
}

const SHARE = 2;
let queue: ReturnType<typeof createFairQueue<Call>>;
beforeEach(() => {
  queue = createFairQueue<Call>(SHARE);
});

function add(name: string, client: CallClient): Call {
  const call = { name, client, accounts: queue.accountsOf(client) };
  queue.add(call);
  return call;
}

/** Takes the next call, which holds a slot from then on. */
function take(): Call | undefined {
  const call = queue.next(false);
  if (!call) return undefined;
  queue.endTurn(call);
  queue.remove(call);
  queue.take(call.accounts);
  return call;
}

/** The names of the calls in the order of their turns; each ends before the next one begins. */
function takeAll(): string[] {
  const names: string[] = [];
  for (let call = take(); call; call = take()) {
    names.push(call.name);
    queue.release(call.accounts);
  }
  return names;
}

const [ann, ben, cat] = ['ann', 'ben', 'cat'].map((name) => clientNamed(name)) as [
  CallClient,
  CallClient,
  CallClient,
];
const at = (address: string, token: string) => clientNamed(token, { token, address });

describe('turns', () => {
  test('alternate among clients; a client has its own in order of arrival', () => {
    for (const name of ['a1', 'a2', 'a3', 'a4']) add(name, ann);
    for (const name of ['b1', 'b2']) add(name, ben);
    add('c1', cat);
    expect(queue.size).toBe(7);
    expect(takeAll()).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
    expect(queue.size).toBe(0);
  });

  test('alternate among the tokens of an address, and that address among others', () => {
    for (const token of ['x', 'x', 'x', 'y', 'y', 'z']) add(`home ${token}`, at('home', token));
    for (const token of ['v', 'v']) add(`away ${token}`, at('away', token));
    expect(takeAll()).toEqual([
      'home x',
      'away v',
      'home y',
      'away v',
      'home z',
      'home x',
      'home y',
      'home x',
    ]);
  });

  test('alternate among the addresses of a token, which has one turn with all of them', () => {
    add('shared at home', at('home', 'shared'));
    add('shared away', at('away', 'shared'));
    add('other', ben);
    expect(takeAll()).toEqual(['shared at home', 'other', 'shared away']);
  });
});

describe('a client that holds its share', () => {
  test('waits for the others, and is served if there are none', () => {
    for (const name of ['a1', 'a2', 'a3', 'a4']) add(name, ann);
    const held = [take(), take()];
    add('b1', ben);
    expect(take()?.name).toBe('b1');
    expect(take()?.name).toBe('a3');
    add('b2', ben);
    add('c1', cat);
    queue.release((held[0] as Call).accounts);
    queue.release((held[1] as Call).accounts);
    expect([take()?.name, take()?.name, take()?.name]).toEqual(['a4', 'b2', 'c1']);
  });

  test.each([
    ['by token', [at('home', 'x'), at('away', 'x')], at('elsewhere', 'x')],
    ['by address', [at('home', 'x'), at('home', 'y')], at('home', 'z')],
  ])('is identified %s', (_key, holders, waiting) => {
    for (const client of holders) add('held', client);
    expect([take()?.name, take()?.name]).toEqual(['held', 'held']);
    add('waiting', waiting);
    add('b1', ben);
    expect([take()?.name, take()?.name]).toEqual(['b1', 'waiting']);
  });
});

test('a slot that is for shares goes to nobody who holds a share', () => {
  for (const name of ['a1', 'a2', 'a3']) add(name, ann);
  take();
  take();
  expect(queue.next(true)).toBeUndefined();
  add('b1', ben);
  expect(queue.next(true)?.name).toBe('b1');
  expect(queue.next(false)?.name).toBe('b1');
});

describe('accounts', () => {
  test('are dropped with the last call of their client, in either order of its token and its address', () => {
    const first = add('a1', at('home', 'x'));
    const second = add('a2', at('home', 'y'));
    queue.take(first.accounts);
    queue.remove(first);
    const same = queue.accountsOf(at('home', 'x'));
    expect([same.token === first.accounts.token, same.address === first.accounts.address]).toEqual([
      true,
      true,
    ]);
    queue.release(first.accounts);
    const later = queue.accountsOf(at('home', 'x'));
    expect([later.token === first.accounts.token, later.address === first.accounts.address]).toEqual([
      false,
      true,
    ]);
    queue.remove(second);
    expect(queue.accountsOf(at('home', 'y')).address).not.toBe(second.accounts.address);
  });
});
