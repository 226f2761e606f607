import { describe, expect, test } from 'vitest';
import type { ClientIdentity } from '../../src/transport/calls.js';
import { MemoryBudget, MemoryShare, UNCOUNTED_BYTES } from '../../src/transport/memoryBudget.js';
import { clientNamed } from '../support/service/clientIdentities.js';

const MAX_BYTES = 400_000;
const LARGE = UNCOUNTED_BYTES + 1;

const createBudget = () => new MemoryBudget(MAX_BYTES);

const [ann, ben] = ['ann', 'ben'].map((name) => clientNamed(name)) as [ClientIdentity, ClientIdentity];
const responseOf = (budget: MemoryBudget, client = ann) => new MemoryShare(budget, 'response', client);
const resultOf = (budget: MemoryBudget, client = ann) => new MemoryShare(budget, 'result', client);

/** A share whose body has this size. */
function shareOf(budget: MemoryBudget, bytes: number): MemoryShare {
  const share = responseOf(budget);
  expect(share.growBody(bytes)).toBe(true);
  expect(share.endBody(bytes, bytes)).toBe(true);
  return share;
}

describe('a memory budget', () => {
  test('has room for requests up to a quarter of it, with responses up to half, and with results up to all of it', () => {
    const budget = createBudget();
    const reserve = (kind: 'request' | 'response' | 'result', bytes: number, client: ClientIdentity) =>
      budget.reserve({ kind, identity: client, ownBytes: 0 }, bytes);
    expect(reserve('request', 60_000, ann)).toBe(true);
    expect(reserve('request', MAX_BYTES / 4 - 60_000 + 1, ben)).toBe(false);
    expect(reserve('request', MAX_BYTES / 4 - 60_000, ben)).toBe(true);
    expect(reserve('response', MAX_BYTES / 4 + 1, ann)).toBe(false);
    expect(reserve('response', MAX_BYTES / 4, ann)).toBe(true);
    expect(reserve('result', MAX_BYTES / 2 + 1, ann)).toBe(false);
    expect(reserve('result', MAX_BYTES / 2, ann)).toBe(true);
    expect(budget.bytesInFlight).toBe(MAX_BYTES);
  });

  test('has room for a request of any size if there is no other', () => {
    const budget = createBudget();
    const share = new MemoryShare(budget, 'request', ann);
    expect([share.growRequest(MAX_BYTES), share.growRequest(MAX_BYTES + 1)]).toEqual([true, true]);
    expect(new MemoryShare(budget, 'request', ben).growRequest(LARGE)).toBe(false);
    share.release();
    expect(budget.bytesInFlight).toBe(0);
  });

  test('is used up once there is no room for what is just not counted', () => {
    const budget = createBudget();
    const reservation = { kind: 'result', identity: ann, ownBytes: 0 } as const;
    budget.reserve(reservation, MAX_BYTES - UNCOUNTED_BYTES);
    expect(budget.isUsedUp).toBe(false);
    budget.reserve({ ...reservation, ownBytes: MAX_BYTES - UNCOUNTED_BYTES }, 1);
    expect(budget.isUsedUp).toBe(true);
  });
});

describe('a client with several operations', () => {
  const at = (token: string, address: string) => clientNamed(token, { token, address });

  test.each([
    ['a token at many addresses', (index: number) => at('ann', `home-${index}`)],
    ['many tokens of an address', (index: number) => at(`ann-${index}`, 'home')],
  ])('has a quarter of each limit, and more in its first half: %s', (_name, clientOf) => {
    const budget = createBudget();
    const responses = [60_000, 40_000, LARGE].map((bytes, index) =>
      responseOf(budget, clientOf(index)).growBody(bytes),
    );
    expect(responses).toEqual([true, true, false]);
    expect(() => resultOf(budget, clientOf(3)).addResult(60_000)).not.toThrow(); // the first one
    expect(() => resultOf(budget, clientOf(4)).addResult(40_000)).not.toThrow();
    expect(() => resultOf(budget, clientOf(5)).addResult(LARGE)).toThrow('no memory left for the response');
    expect(responseOf(budget, ben).growBody(100_000)).toBe(true);
  });

  test('has its first of a kind whatever its size, and its quarter beyond the first half', () => {
    const budget = new MemoryBudget(2 * MAX_BYTES);
    expect(responseOf(budget, ben).growBody(200_000)).toBe(true);
    const first = responseOf(budget);
    const second = responseOf(budget);
    expect([first.growBody(150_000), second.growBody(LARGE)]).toEqual([true, false]);
    first.release();
    const others = [responseOf(budget), responseOf(budget)];
    expect([second, ...others].map((share) => share.growBody(40_000))).toEqual([true, true, false]);
  });
});

describe('a body', () => {
  test('counts as it grows, once it is larger than what is not counted', () => {
    const budget = createBudget();
    const share = responseOf(budget);
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
    const share = responseOf(budget);
    share.growBody(50_000);
    expect(share.endBody(40_000, parsedBytes)).toBe(true);
    expect([budget.bytesInFlight, share.bodyBytes, share.isCounted]).toEqual([counted, 40_000, true]);
  });

  test('that is small in the end no longer counts, however much it took', () => {
    const budget = createBudget();
    const share = responseOf(budget);
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
    const share = resultOf(budget);
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
    const share = resultOf(createBudget());
    expect(() => share.addResult(MAX_BYTES + 1)).toThrow('no memory left for the response');
  });
});

describe('a request that adopts', () => {
  test('the counted body of a call keeps it until both are released', () => {
    const budget = createBudget();
    const call = shareOf(budget, 50_000);
    const request = resultOf(budget);
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
    const request = resultOf(budget);
    const sizes = [UNCOUNTED_BYTES - 20_000, 20_000, 1, 1000];
    const inFlight = sizes.map((bytes) => {
      expect(request.adopt(shareOf(budget, bytes), { isRead })).toBe(true);
      return budget.bytesInFlight;
    });
    expect(inFlight).toEqual(counted);
    request.release();
    expect(budget.bytesInFlight).toBe(0);
  });

  test.each([
    ['keeps only the text of its result once its operation has ended', false, 50_000],
    ['keeps nothing once its operation has ended if its client has disconnected', true, 0],
  ])('%s', (_case, isDisconnected, kept) => {
    const budget = createBudget();
    const call = shareOf(budget, 100_000);
    const request = resultOf(budget);
    request.retain();
    request.adopt(call, { isRead: true });
    call.release();
    request.addResult(50_000, 60_000);
    expect(budget.bytesInFlight).toBe(160_000);
    if (isDisconnected) request.release();
    request.endOperation();
    expect(budget.bytesInFlight).toBe(kept);
    if (!isDisconnected) request.release();
    expect(budget.bytesInFlight).toBe(0);
  });

  test('a body after its release keeps nothing of it', () => {
    const budget = createBudget();
    const call = shareOf(budget, 50_000);
    const request = resultOf(budget);
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
  share.retain();
  share.release();
  expect(budget.bytesInFlight).toBe(50_000);
  share.release();
  expect(budget.bytesInFlight).toBe(0);
});
