import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createBulkhead } from '../../src/service/transport/bulkhead.js';
import { Cancellation } from '../../src/service/transport/cancellation.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a bulkhead', () => {
  test('lets in as many calls as there are places, and the others as these leave, in their order', async () => {
    const { bulkhead } = bulkheadOf({ limit: 2, queueLimit: 10 });
    const entered: string[] = [];
    const [leaveA, leaveB] = await Promise.all([
      enter(bulkhead, 'a', entered),
      enter(bulkhead, 'b', entered),
    ]);
    const c = enter(bulkhead, 'c', entered);
    const d = enter(bulkhead, 'd', entered);
    await settled();
    expect(entered).toEqual(['a', 'b']);

    leaveB();
    await c;
    expect(entered).toEqual(['a', 'b', 'c']);
    leaveA();
    await d;
    expect(entered).toEqual(['a', 'b', 'c', 'd']);
  });

  test('has its places again when all calls have left', async () => {
    const { bulkhead } = bulkheadOf({ limit: 1, queueLimit: 0 });
    for (const name of ['a', 'b', 'c']) (await enter(bulkhead, name))();
    await enter(bulkhead, 'd');
    await expect(enter(bulkhead, 'e')).rejects.toThrow('queue of REST calls is full');
  });

  test('lets calls in as places are added, and counts only those beyond its limit as too many', async () => {
    const { bulkhead, add } = bulkheadOf({ limit: 2, queueLimit: 1, free: 0 });
    const entered: string[] = [];
    const waiting = ['a', 'b', 'c'].map((name) => enter(bulkhead, name, entered));
    await expect(enter(bulkhead, 'd')).rejects.toThrow('queue of REST calls is full');
    await settled();
    expect(entered).toEqual([]);

    add();
    await waiting[0];
    expect(entered).toEqual(['a']);
    await expect(enter(bulkhead, 'e')).rejects.toThrow('queue of REST calls is full');
    add();
    (await waiting[1])?.();
    await waiting[2];
    expect(entered).toEqual(['a', 'b', 'c']);
  });

  test('refuses a call at once when too many wait', async () => {
    const { bulkhead } = bulkheadOf({ limit: 1, queueLimit: 2 });
    const leave = await enter(bulkhead, 'a');
    const waiting = [enter(bulkhead, 'b'), enter(bulkhead, 'c')];
    await expect(enter(bulkhead, 'd')).rejects.toMatchObject({
      name: 'BulkheadFullError',
      message: 'The queue of REST calls is full',
      retryAfterSeconds: 1,
    });

    leave();
    await waiting[0];
    const e = enter(bulkhead, 'e');
    await expect(enter(bulkhead, 'f')).rejects.toThrow('queue of REST calls is full');
    (await waiting[0])?.();
    (await waiting[1])?.();
    await e;
  });

  test('refuses a call that had to wait until its deadline', async () => {
    const { bulkhead } = bulkheadOf({ limit: 1, queueLimit: 2 });
    const leave = await enter(bulkhead, 'a');
    const waiting = expect(enter(bulkhead, 'b', [], { lastsMs: 100 })).rejects.toMatchObject({
      name: 'BulkheadFullError',
      message: 'No free connection before the deadline',
      retryAfterSeconds: 1,
    });
    vi.advanceTimersByTime(100);
    await waiting;
    await expectWhole(bulkhead, leave);
  });

  test('forgets a call whose caller leaves, or has left', async () => {
    const { bulkhead } = bulkheadOf({ limit: 1, queueLimit: 2 });
    const leave = await enter(bulkhead, 'a');
    const left = new Cancellation();
    const waiting = expect(enter(bulkhead, 'b', [], { left })).rejects.toThrow('Cancelled');
    left.cancel();
    await waiting;
    await expect(enter(bulkhead, 'c', [], { left })).rejects.toThrow('Cancelled');
    await expectWhole(bulkhead, leave);
  });

  test('leaves no timer behind', async () => {
    const { bulkhead } = bulkheadOf({ limit: 1, queueLimit: 2 });
    const leave = await enter(bulkhead, 'a');
    const left = new Cancellation();
    const waiting = [enter(bulkhead, 'b'), enter(bulkhead, 'c', [], { left })];
    expect(vi.getTimerCount()).toBe(2);
    leave();
    left.cancel();
    await Promise.allSettled(waiting);
    expect(vi.getTimerCount()).toBe(0);
  });
});

type Bulkhead = ReturnType<typeof bulkheadOf>['bulkhead'];

/** A bulkhead whose places are all free unless told otherwise; `add` frees one more. */
function bulkheadOf({ free: count, ...limits }: { limit: number; queueLimit: number; free?: number }) {
  const free = Array.from({ length: count ?? limits.limit }, (_, index) => index);
  const add = (place = free.length) => {
    free.push(place);
    bulkhead.drainQueue();
  };
  const bulkhead = createBulkhead({ ...limits, slots: { acquire: () => free.pop(), release: add } });
  return { bulkhead, add };
}

/** A place that nobody waits for any more is given to the next call. */
async function expectWhole(bulkhead: Bulkhead, leave: () => void): Promise<void> {
  leave();
  const entered: string[] = [];
  const again = await enter(bulkhead, 'again', entered);
  again();
  await enter(bulkhead, 'and again', entered);
  expect(entered).toEqual(['again', 'and again']);
}

async function enter(
  bulkhead: Bulkhead,
  name: string,
  entered: string[] = [],
  { lastsMs = 60_000, left = new Cancellation() }: { lastsMs?: number; left?: Cancellation } = {},
): Promise<() => void> {
  const place = await bulkhead.acquireSlot({ deadline: performance.now() + lastsMs, cancellation: left });
  entered.push(name);
  return () => {
    bulkhead.releaseSlot(place);
  };
}

/** Whatever could go on has gone on. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
