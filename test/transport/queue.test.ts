import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createQueue, type SlotRequest } from '../../src/transport/queue.js';
import { Cancellation } from '../../src/transport/cancellation.js';
import type { CallClient } from '../../src/transport/calls.js';
import { clientNamed } from '../support/service/callClients.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  vi.advanceTimersByTime(60_000); // no test starts at 0, where sums and differences are equal
});
afterEach(() => vi.useRealTimers());

describe('a queue', () => {
  test('admits as many calls as it has slots, and queued calls first come, first served', async () => {
    const { queue } = startQueue({ limit: 2, queueLimit: 10 });
    const admitted: string[] = [];
    const [releaseA, releaseB] = await Promise.all([
      acquire(queue, 'a', admitted),
      acquire(queue, 'b', admitted),
    ]);
    const c = acquire(queue, 'c', admitted);
    const d = acquire(queue, 'd', admitted);
    await flushMicrotasks();
    expect(admitted).toEqual(['a', 'b']);

    releaseB();
    await c;
    expect(admitted).toEqual(['a', 'b', 'c']);
    releaseA();
    await d;
    expect(admitted).toEqual(['a', 'b', 'c', 'd']);
  });

  test('fails a call immediately if the queue is full', async () => {
    const { queue } = startQueue({ limit: 1, queueLimit: 2 });
    const release = await acquire(queue, 'a');
    const queued = [acquire(queue, 'b'), acquire(queue, 'c')];
    await expect(acquire(queue, 'd')).rejects.toMatchObject({
      failure: 'queueFull',
      message: 'The queue of REST calls is full',
      retryAfterSeconds: 1,
    });

    release();
    await queued[0];
    const e = acquire(queue, 'e');
    await expect(acquire(queue, 'f')).rejects.toThrow('queue of REST calls is full');
    (await queued[0])?.();
    (await queued[1])?.();
    await e;
  });

  test('fails a call that is still queued at its deadline', async () => {
    const { queue } = startQueue({ limit: 1, queueLimit: 2 });
    const release = await acquire(queue, 'a');
    const queued = expect(acquire(queue, 'b', [], { timeoutMs: 100 })).rejects.toMatchObject({
      failure: 'deadlinePassed',
      message: 'The deadline passed before the request was sent',
      retryAfterSeconds: 1,
    });
    vi.advanceTimersByTime(100);
    await queued;
    await expectSlotReusable(queue, release);
  });

  test('removes a cancelled call from the queue, and does not queue a call cancelled before', async () => {
    const { queue } = startQueue({ limit: 1, queueLimit: 2 });
    const release = await acquire(queue, 'a');
    const cancellation = new Cancellation();
    const queued = expect(acquire(queue, 'b', [], { cancellation })).rejects.toThrow('Cancelled');
    cancellation.cancel();
    await queued;
    await expect(acquire(queue, 'c', [], { cancellation })).rejects.toThrow('Cancelled');
    await expectSlotReusable(queue, release);
  });

  describe('serves the client that holds less than its share of 2 slots first', () => {
    const [ann, ben, cat] = [clientNamed('ann'), clientNamed('ben'), clientNamed('cat')];
    let queue: Queue;
    beforeEach(() => {
      ({ queue } = startQueue({ limit: 8, queueLimit: 10 }));
    });

    /** Takes slots for a client; returns the functions that release them. */
    const occupy = async (client: CallClient, count: number) => {
      const releases: (() => void)[] = [];
      for (let held = 0; held < count; held += 1) releases.push(await acquire(queue, 'held', [], { client }));
      return releases;
    };
    /** Queues a call of each client in this order, releases a slot, and returns whose calls got one. */
    const admittedAfter = async (release: (() => void) | undefined, waiting: readonly CallClient[]) => {
      const admitted: string[] = [];
      for (const client of waiting) void acquire(queue, client.peer.address, admitted, { client });
      release?.();
      await flushMicrotasks();
      return admitted;
    };

    test('counting the calls that were in flight before any had to wait', async () => {
      await occupy(ann, 7);
      const ofCat = await occupy(cat, 1);
      expect(await admittedAfter(ofCat[0], [ann, ben])).toEqual(['ben']);
    });
  });

  describe('keeps an eighth of the slots for clients that hold less than a quarter', () => {
    const [ann, ben] = [clientNamed('ann'), clientNamed('ben')];
    const take = (queue: Queue, client: CallClient, admitted: string[]) =>
      acquire(queue, client.peer.address, admitted, { client });

    test('so that a burst of one client leaves one of 8 to another', async () => {
      const { queue } = startQueue({ limit: 8, queueLimit: 10 });
      const admitted: string[] = [];
      const releases = [1, 2, 3, 4, 5, 6, 7, 8].map(() => take(queue, ann, admitted));
      await flushMicrotasks();
      expect(admitted).toEqual(Array(7).fill('ann'));
      await take(queue, ben, admitted);
      expect(admitted).toEqual([...Array<string>(7).fill('ann'), 'ben']);
      for (const release of releases.slice(0, 2)) (await release)();
      await releases[7];
      expect(admitted.at(-1)).toBe('ann');
    });
  });

  test('has half of its places to wait for one client, and any number for items of lists', async () => {
    const { queue } = startQueue({ limit: 1, queueLimit: 4 });
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

type Queue = ReturnType<typeof startQueue>['queue'];

/** A queue whose slots are all free by default; `add` frees one more. */
function startQueue({ free: count, ...limits }: { limit: number; queueLimit: number; free?: number }) {
  const free = Array.from({ length: count ?? limits.limit }, (_, index) => index);
  const add = (slot = free.length) => {
    free.push(slot);
    queue.drain();
  };
  const queue = createQueue({ ...limits, slots: { acquire: () => free.pop(), release: add } });
  return { queue, add };
}

/** Expects the only slot to go to the next calls, rather than to one that no longer waits. */
async function expectSlotReusable(queue: Queue, release: () => void): Promise<void> {
  release();
  const admitted: string[] = [];
  const releaseNext = await acquire(queue, 'next', admitted);
  releaseNext();
  await acquire(queue, 'after next', admitted);
  expect(admitted).toEqual(['next', 'after next']);
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
