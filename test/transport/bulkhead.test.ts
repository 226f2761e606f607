import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createBulkhead, type WaitOptions } from '../../src/transport/bulkhead.js';
import { Cancellation } from '../../src/transport/cancellation.js';
import type { ClientIdentity } from '../../src/transport/calls.js';
import { clientNamed } from '../support/service/clientIdentities.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  vi.advanceTimersByTime(60_000); // no test starts at 0, where sums and differences are equal
});
afterEach(() => vi.useRealTimers());

describe('a bulkhead', () => {
  test('admits as many calls as it has slots, and queued calls first come, first served', async () => {
    const { bulkhead } = startBulkhead({ limit: 2, queueLimit: 10 });
    const admitted: string[] = [];
    const [releaseA, releaseB] = await Promise.all([
      acquire(bulkhead, 'a', admitted),
      acquire(bulkhead, 'b', admitted),
    ]);
    const c = acquire(bulkhead, 'c', admitted);
    const d = acquire(bulkhead, 'd', admitted);
    await flushMicrotasks();
    expect(admitted).toEqual(['a', 'b']);

    releaseB();
    await c;
    expect(admitted).toEqual(['a', 'b', 'c']);
    releaseA();
    await d;
    expect(admitted).toEqual(['a', 'b', 'c', 'd']);
  });

  test('frees all slots once their calls have finished', async () => {
    const { bulkhead } = startBulkhead({ limit: 1, queueLimit: 0 });
    for (const name of ['a', 'b', 'c']) (await acquire(bulkhead, name))();
    await acquire(bulkhead, 'd');
    await expect(acquire(bulkhead, 'e')).rejects.toThrow('queue of REST calls is full');
  });

  test('admits queued calls as slots are added, and counts only calls beyond limit and queue as too many', async () => {
    const { bulkhead, add } = startBulkhead({ limit: 2, queueLimit: 1, free: 0 });
    const admitted: string[] = [];
    const queued = ['a', 'b', 'c'].map((name) => acquire(bulkhead, name, admitted));
    await expect(acquire(bulkhead, 'd')).rejects.toThrow('queue of REST calls is full');
    await flushMicrotasks();
    expect(admitted).toEqual([]);

    add();
    await queued[0];
    expect(admitted).toEqual(['a']);
    await expect(acquire(bulkhead, 'e')).rejects.toThrow('queue of REST calls is full');
    add();
    (await queued[1])?.();
    await queued[2];
    expect(admitted).toEqual(['a', 'b', 'c']);
  });

  test('fails a call immediately if the queue is full', async () => {
    const { bulkhead } = startBulkhead({ limit: 1, queueLimit: 2 });
    const release = await acquire(bulkhead, 'a');
    const queued = [acquire(bulkhead, 'b'), acquire(bulkhead, 'c')];
    await expect(acquire(bulkhead, 'd')).rejects.toMatchObject({
      failure: 'queueFull',
      message: 'The queue of REST calls is full',
      retryAfterSeconds: 1,
    });

    release();
    await queued[0];
    const e = acquire(bulkhead, 'e');
    await expect(acquire(bulkhead, 'f')).rejects.toThrow('queue of REST calls is full');
    (await queued[0])?.();
    (await queued[1])?.();
    await e;
  });

  test('fails a call that is still queued at its deadline', async () => {
    const { bulkhead } = startBulkhead({ limit: 1, queueLimit: 2 });
    const release = await acquire(bulkhead, 'a');
    const queued = expect(acquire(bulkhead, 'b', [], { timeoutMs: 100 })).rejects.toMatchObject({
      failure: 'deadlinePassed',
      message: 'The deadline passed before the request was sent',
      retryAfterSeconds: 1,
    });
    vi.advanceTimersByTime(100);
    await queued;
    await expectSlotReusable(bulkhead, release);
  });

  test('removes a cancelled call from the queue, and does not queue a call cancelled before', async () => {
    const { bulkhead } = startBulkhead({ limit: 1, queueLimit: 2 });
    const release = await acquire(bulkhead, 'a');
    const cancellation = new Cancellation();
    const queued = expect(acquire(bulkhead, 'b', [], { cancellation })).rejects.toThrow('Cancelled');
    cancellation.cancel();
    await queued;
    await expect(acquire(bulkhead, 'c', [], { cancellation })).rejects.toThrow('Cancelled');
    await expectSlotReusable(bulkhead, release);
  });

  describe('serves the client that holds less than its share of 2 slots first', () => {
    const [ann, ben, cat] = [clientNamed('ann'), clientNamed('ben'), clientNamed('cat')];
    let bulkhead: Bulkhead;
    beforeEach(() => {
      ({ bulkhead } = startBulkhead({ limit: 8, queueLimit: 10 }));
    });

    /** Takes slots for a client; returns the functions that release them. */
    const occupy = async (client: ClientIdentity, count: number) => {
      const releases: (() => void)[] = [];
      for (let held = 0; held < count; held += 1)
        releases.push(await acquire(bulkhead, 'held', [], { client }));
      return releases;
    };
    /** Queues a call of each client in this order, releases a slot, and returns whose calls got one. */
    const admittedAfter = async (release: (() => void) | undefined, waiting: readonly ClientIdentity[]) => {
      const admitted: string[] = [];
      for (const client of waiting) void acquire(bulkhead, client.peer.address, admitted, { client });
      release?.();
      await flushMicrotasks();
      return admitted;
    };

    test('counting the calls that were in flight before any had to wait', async () => {
      await occupy(ann, 7);
      const ofCat = await occupy(cat, 1);
      expect(await admittedAfter(ofCat[0], [ann, ben])).toEqual(['ben']);
    });

    test('counting no call that ended before any had to wait', async () => {
      const ofAnn = await occupy(ann, 2);
      const ofBen = await occupy(ben, 3);
      ofAnn[0]?.();
      ofBen[2]?.();
      const ofCat = await occupy(cat, 5);
      expect(await admittedAfter(ofCat[0], [ben, ann])).toEqual(['ann']);
    });

    test('counting no call that ended while another waited', async () => {
      const ofAnn = await occupy(ann, 2);
      await occupy(ben, 2);
      const ofCat = await occupy(cat, 4);
      expect(await admittedAfter(ofAnn[0], [cat])).toEqual(['cat']);
      expect(await admittedAfter(ofCat[0], [ben, ann])).toEqual(['ann']);
    });
  });

  test('leaves no timers behind', async () => {
    const { bulkhead } = startBulkhead({ limit: 1, queueLimit: 2 });
    const release = await acquire(bulkhead, 'a');
    const cancellation = new Cancellation();
    const queued = [acquire(bulkhead, 'b'), acquire(bulkhead, 'c', [], { cancellation })];
    expect(vi.getTimerCount()).toBe(2);
    release();
    cancellation.cancel();
    await Promise.allSettled(queued);
    expect(vi.getTimerCount()).toBe(0);
  });
});

type Bulkhead = ReturnType<typeof startBulkhead>['bulkhead'];

/** A bulkhead whose slots are all free by default; `add` frees one more. */
function startBulkhead({ free: count, ...limits }: { limit: number; queueLimit: number; free?: number }) {
  const free = Array.from({ length: count ?? limits.limit }, (_, index) => index);
  const add = (slot = free.length) => {
    free.push(slot);
    bulkhead.drainQueue();
  };
  const bulkhead = createBulkhead({ ...limits, slots: { acquire: () => free.pop(), release: add } });
  return { bulkhead, add };
}

/** Expects the only slot to go to the next calls, rather than to one that no longer waits. */
async function expectSlotReusable(bulkhead: Bulkhead, release: () => void): Promise<void> {
  release();
  const admitted: string[] = [];
  const releaseNext = await acquire(bulkhead, 'next', admitted);
  releaseNext();
  await acquire(bulkhead, 'after next', admitted);
  expect(admitted).toEqual(['next', 'after next']);
}

async function acquire(
  bulkhead: Bulkhead,
  name: string,
  admitted: string[] = [],
  {
    timeoutMs = 60_000,
    cancellation = new Cancellation(),
    client = clientNamed('client'),
  }: Partial<Pick<WaitOptions, 'cancellation' | 'client'>> & { timeoutMs?: number } = {},
): Promise<() => void> {
  const deadline = performance.now() + timeoutMs;
  const lease =
    bulkhead.takeSlot(client, false) ??
    (await bulkhead.waitForSlot({
      client,
      mustBeFresh: false,
      deadline,
      cancellation,
      onWaited: () => undefined,
    }));
  admitted.push(name);
  return () => bulkhead.releaseSlot(lease);
}

/** Lets all pending microtasks run. */
async function flushMicrotasks(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
