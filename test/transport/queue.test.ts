import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createQueue, type Slot, type SlotRequest } from '../../src/transport/queue.js';
import { Cancellation } from '../../src/transport/cancellation.js';
import type { CallClient } from '../../src/transport/calls.js';
import { clientNamed } from '../support/service/callClients.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  vi.advanceTimersByTime(60_000); // no test starts at 0, where sums and differences are equal
});
afterEach(() => vi.useRealTimers());

describe('a queue', () => {
  /** Has calls of clients wait for the only slot, `token@address` each; returns the order of their turns. */
  const turnsOf = async (clients: readonly string[]) => {
    const queue = startQueue({ limit: 1, queueLimit: 20 });
    const release = await acquire(queue, 'first');
    const admitted: string[] = [];
    const waiting = clients.map((name) => acquire(queue, name, admitted, { client: clientAt(name) }));
    release();
    for (const each of waiting) void each.then((free) => free());
    await Promise.all(waiting);
    return admitted;
  };

  test.each([
    ['clients', ['a@1', 'a@1', 'a@1', 'b@2', 'b@2', 'c@3'], ['a@1', 'b@2', 'c@3', 'a@1', 'b@2', 'a@1']],
    [
      'the tokens of an address, and that address among others',
      ['x@home', 'x@home', 'x@home', 'y@home', 'z@home', 'v@away', 'v@away'],
      ['x@home', 'v@away', 'y@home', 'v@away', 'z@home', 'x@home', 'x@home'],
    ],
    [
      'the addresses of a token, which has one turn with all of them',
      ['x@home', 'x@away', 'b@2'],
      ['x@home', 'b@2', 'x@away'],
    ],
  ])('alternates among %s', async (_whom, waiting, order) => {
    expect(await turnsOf(waiting)).toEqual(order);
  });

  test('serves the client that holds the fewest slots first, counting calls from before any had to wait', async () => {
    const queue = startQueue({ limit: 8, queueLimit: 10 });
    for (let held = 0; held < 7; held += 1) await acquire(queue, 'ann');
    const release = await acquire(queue, 'cat');
    const admitted: string[] = [];
    for (const name of ['ann', 'ben']) void acquire(queue, name, admitted);
    release();
    await flushMicrotasks();
    expect(admitted).toEqual(['ben']);
  });

  test('has half of its places to wait for one client, and any number for items of lists', async () => {
    const queue = startQueue({ limit: 1, queueLimit: 4 });
    const release = await acquire(queue, 'ann');
    const waiting = [1, 2].map(() => acquire(queue, 'ann'));
    await expect(acquire(queue, 'ann')).rejects.toMatchObject({ failure: 'queueFull' });
    const others = ['ben', 'cat'].map((name) => acquire(queue, name));
    await expect(acquire(queue, 'dan')).rejects.toMatchObject({ failure: 'queueFull' });
    const client = { ...clientNamed('dan'), isOfList: true };
    const items = [1, 2, 3].map(() => acquire(queue, 'dan', [], { client }));
    expect(queue.load().waiting.value).toBe(7);
    release();
    const all = [...waiting, ...others, ...items];
    await Promise.all(all.map((each) => each.then((free) => free())));
    expect(queue.load().waiting.value).toBe(0);
  });
});

/** A client by its token and its address: `token@address`. */
function clientAt(name: string): CallClient {
  const [token = '', address = ''] = name.split('@');
  return clientNamed(name, { token, address });
}

type Queue = ReturnType<typeof startQueue>;

function startQueue(limits: { limit: number; queueLimit: number }) {
  const slots = Array.from({ length: limits.limit }, (): Slot => ({ holder: undefined }));
  const pool = {
    slots,
    acquire: () => slots.find(({ holder }) => holder === undefined),
    release: () => queue.drain(),
  };
  const queue = createQueue({ ...limits, pool });
  return queue;
}

async function acquire(
  queue: Queue,
  name: string,
  admitted: string[] = [],
  {
    timeoutMs = 60_000,
    cancellation = new Cancellation(),
    client = clientNamed(name),
  }: Partial<Pick<SlotRequest, 'cancellation' | 'client'>> & { timeoutMs?: number } = {},
): Promise<() => void> {
  const deadline = performance.now() + timeoutMs;
  const slot = await queue.take({ client, deadline, cancellation });
  admitted.push(name);
  return () => queue.release(slot);
}

/** Lets all pending microtasks run. */
async function flushMicrotasks(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
