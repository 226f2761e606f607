import { describe, expect, test } from 'vitest';
import { MemoryBudget, MemoryShare, UNCOUNTED_BYTES } from '../../src/transport/memoryBudget.js';

const MAX_BYTES = 400_000;
const LARGE = UNCOUNTED_BYTES + 1;

const createBudget = () => new MemoryBudget(MAX_BYTES);

/** A share whose body has this size. */
function shareOf(budget: MemoryBudget, bytes: number): MemoryShare {
  const share = new MemoryShare(budget);
  expect(share.growBody(bytes)).toBe(true);
  expect(share.endBody(bytes, bytes)).toBe(true);
  return share;
}

describe('a memory budget', () => {
  test('has room for bodies up to exactly half of it, and for results up to all of it', () => {
    const budget = createBudget();
    expect(budget.reserveBody(MAX_BYTES / 2)).toBe(true);
    expect(budget.reserveBody(1)).toBe(false);
    expect(budget.reserveResult(MAX_BYTES / 2)).toBe(true);
    expect(budget.reserveResult(1)).toBe(false);
    expect(budget.bytesInFlight).toBe(MAX_BYTES);
    budget.release(1);
    expect(budget.bytesInFlight).toBe(MAX_BYTES - 1);
  });

  test('is used up once there is no room for what is just not counted', () => {
    const budget = createBudget();
    budget.reserveResult(MAX_BYTES - UNCOUNTED_BYTES);
    expect(budget.isUsedUp).toBe(false);
    budget.reserveResult(1);
    expect(budget.isUsedUp).toBe(true);
  });
});

describe('a body', () => {
  test('counts as it grows, once it is larger than what is not counted', () => {
    const budget = createBudget();
    const share = new MemoryShare(budget);
    const counted = [UNCOUNTED_BYTES, LARGE, 50_000, 40_000].map((bytes) => {
      expect(share.growBody(bytes)).toBe(true);
      return budget.bytesInFlight;
    });
    expect(counted).toEqual([0, LARGE, 50_000, 50_000]);
    expect(share.growBody(MAX_BYTES / 2 + 1)).toBe(false);
    expect(budget.bytesInFlight).toBe(50_000);
  });

  test.each([
    ['more than its text', 60_000, 60_000],
    ['less than it took while it was decompressed', 45_000, 45_000],
  ])('counts for what it takes when it is parsed: %s', (_case, parsedBytes, counted) => {
    const budget = createBudget();
    const share = new MemoryShare(budget);
    share.growBody(50_000);
    expect(share.endBody(40_000, parsedBytes)).toBe(true);
    expect([budget.bytesInFlight, share.bodyBytes, share.isCounted]).toEqual([counted, 40_000, true]);
  });

  test('that is small in the end no longer counts, however much it took', () => {
    const budget = createBudget();
    const share = new MemoryShare(budget);
    share.growBody(50_000);
    expect(share.endBody(UNCOUNTED_BYTES, 70_000)).toBe(true);
    expect([budget.bytesInFlight, share.bodyBytes, share.isCounted]).toEqual([0, UNCOUNTED_BYTES, false]);
  });

  test('that does not fit when it is parsed counts for nothing', () => {
    const budget = createBudget();
    const share = shareOf(budget, 100_000);
    expect(share.endBody(100_000, MAX_BYTES / 2 + 1)).toBe(false);
    share.discardBody();
    expect([budget.bytesInFlight, share.bodyBytes, share.isCounted]).toEqual([0, 0, false]);
  });
});

describe('results', () => {
  test('count in full once all of a share exceed what is not counted', () => {
    const budget = createBudget();
    const share = new MemoryShare(budget);
    const counted = [20_000, UNCOUNTED_BYTES - 20_000, 1, 1000].map((bytes) => {
      share.addResult(bytes);
      return budget.bytesInFlight;
    });
    expect(counted).toEqual([0, 0, LARGE, LARGE + 1000]);
    expect(share.resultBytes).toBe(LARGE + 1000);
    share.addResult(10, 5000);
    expect([budget.bytesInFlight, share.resultBytes]).toEqual([LARGE + 6000, LARGE + 1010]);
  });

  test('that do not fit throw', () => {
    const share = new MemoryShare(createBudget());
    expect(() => share.addResult(MAX_BYTES + 1)).toThrow('no memory left for the response');
  });
});

describe('a request that adopts', () => {
  test('the counted body of a call keeps it until both are released', () => {
    const budget = createBudget();
    const call = shareOf(budget, 50_000);
    const request = new MemoryShare(budget);
    expect(request.adopt(call, { isRead: true })).toBe(true);
    expect(request.bodyBytes).toBe(50_000);
    call.release();
    expect(budget.bytesInFlight).toBe(50_000);
    request.release();
    expect(budget.bytesInFlight).toBe(0);
  });

  test.each([
    ['reads counts all of them once they are large together', true, [0, 0, LARGE, LARGE + 1000]],
    ['writes does not count them', false, [0, 0, 0, 0]],
  ])('the small bodies of %s', (_case, isRead, counted) => {
    const budget = createBudget();
    const request = new MemoryShare(budget);
    const sizes = [UNCOUNTED_BYTES - 20_000, 20_000, 1, 1000];
    const inFlight = sizes.map((bytes) => {
      expect(request.adopt(shareOf(budget, bytes), { isRead })).toBe(true);
      return budget.bytesInFlight;
    });
    expect(inFlight).toEqual(counted);
    request.release();
    expect(budget.bytesInFlight).toBe(0);
  });

  test('a body after its release keeps nothing of it', () => {
    const budget = createBudget();
    const call = shareOf(budget, 50_000);
    const request = new MemoryShare(budget);
    request.release();
    expect(request.adopt(call, { isRead: true })).toBe(false);
    call.release();
    expect(budget.bytesInFlight).toBe(0);
    expect(request.adopt(shareOf(budget, 1000), { isRead: true })).toBe(false);
    expect(() => request.addResult(LARGE)).toThrow('no memory left for the response');
    expect(budget.bytesInFlight).toBe(0);
  });
});

test('a share with two holders is released by both of them', () => {
  const budget = createBudget();
  const share = shareOf(budget, 50_000);
  share.hold();
  share.release();
  expect(budget.bytesInFlight).toBe(50_000);
  share.release();
  expect(budget.bytesInFlight).toBe(0);
});
