/** A list that the package for front ends sends in parts through the real gateway. */
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { Client, fetchExchange } from '@urql/core';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createRetryLink } from '../../src/client/apollo.js';
import { createBatch, type Batch, type BatchOptions } from '../../src/client/batch.js';
import { createList, type ListOptions } from '../../src/client/list.js';
import { createRetryExchange } from '../../src/client/urql.js';
import type { Fault } from '../../src/mock/mockService.js';
import { startGateway, TOKEN } from '../support/gateway/gateway.js';
import type { ConfigOverrides } from '../support/gateway/inProcessGateway.js';
import { validArguments } from '../support/graphql/rootFields.js';
import { post } from '../support/http/post.js';
import { forTest } from '../support/tools/useStarted.js';
import { until } from '../support/tools/waiting.js';
import { memoryStorage } from './support/memoryStorage.js';

const BULK =
  'mutation ($items: [TrackShipmentItem!]!, $dryRun: Boolean!) { trackShipments(items: $items, dryRun: $dryRun) { results { outcome evidence errors { code message retryable retryAfterSeconds requestId inputPath rule } } } }';
const { input } = validArguments('trackShipment') as { input: object };
type Load = { input: object };
const load = (number: number): Load => ({
  input: { ...input, driverPhoneNumber: `+1303555${String(1000 + number)}` },
});
const loads = (count: number) => Array.from({ length: count }, (_, number) => load(number));
const invalid: Load = { input: { ...input, driverPhoneNumber: 'none' } };
const LOST = () => Promise.reject(new TypeError('Failed to fetch'));

const steps = ({ getSnapshot }: Batch<Load>) => getSnapshot().items.map(({ nextStep }) => nextStep);
const lines = ({ getSnapshot }: Batch<Load>) =>
  getSnapshot().items.map(({ outcome, evidence, nextStep }) => `${outcome} ${evidence ?? ''} ${nextStep}`);
const SENT = 'APPLIED RESPONSE NONE';
const UNSENT = 'NOT_APPLIED NOT_SENT SEND';

describe('a list', () => {
  test('is checked as a whole, and sent in parts, two at a time', async () => {
    const { batch, gateway, sent } = await start({ items: loads(5), size: 2 });
    expect(lines(batch)).toEqual(Array(5).fill(UNSENT));
    await batch.check();
    expect([lines(batch), sent()]).toEqual([Array(5).fill(UNSENT), ['dry 5']]);
    expect(gateway.takeCalls()).toEqual([]);
    await batch.send();
    expect([lines(batch), sent()]).toEqual([Array(5).fill(SENT), ['2', '2', '1']]);
    expect(gateway.takeCalls()).toHaveLength(5);
    await batch.send();
    await batch.repeat();
    expect([sent(), gateway.takeCalls()]).toEqual([[], []]);
  });

  test('is not sent if one item is invalid, even in another part, unless the others are to be sent', async () => {
    const { batch, gateway, sent } = await start({ items: [load(1), load(2), invalid], size: 1 });
    await batch.send();
    expect([steps(batch), sent()]).toEqual([['SEND', 'SEND', 'CORRECT'], ['dry 3']]);
    expect(batch.getSnapshot().items[2]?.errors).toMatchObject([
      { code: 'BAD_USER_INPUT', rule: 'PHONE_NUMBER', inputPath: ['input', 'driverPhoneNumber'] },
    ]);
    await batch.send({ onInvalidItem: 'SEND_OTHERS' });
    expect([steps(batch), sent()]).toEqual([
      ['NONE', 'NONE', 'CORRECT'],
      ['1', '1'],
    ]);
    const { key } = batch.getSnapshot().items[2] ?? {};
    batch.replace(2, load(3));
    expect(batch.getSnapshot().items[2]?.key).not.toBe(key);
    await batch.send();
    expect([steps(batch), sent()]).toEqual([
      ['NONE', 'NONE', 'NONE'],
      ['dry 1', '1'],
    ]);
    expect(gateway.takeCalls()).toHaveLength(3);
  });

  test('with more errors than the gateway looks for is checked to its end, and nothing else is sent', async () => {
    const broken = (number: number): Load => ({
      input: {
        shipment: { hauler: { freightProviderReferenceNumber: ' ', freightHaulerProviderXid: ' ' } },
        carrier: { scac: ' ' },
        driverPhoneNumber: `none ${number}`,
        shipmentTrackingType: ' ',
      },
    });
    const items = [...Array.from({ length: 210 }, (_, number) => broken(number)), load(1), invalid];
    const { batch, gateway, sent } = await start({ items });
    await batch.check();
    const checked = [...Array<string>(210).fill('CORRECT'), 'SEND', 'CORRECT'];
    expect([steps(batch), sent()]).toEqual([checked, ['dry 212', 'dry 12']]);
    for (let index = 0; index < 210; index += 1) batch.replace(index, load(2 + index));
    await batch.send();
    expect([steps(batch), gateway.takeCalls()]).toEqual([
      [...Array<string>(211).fill('SEND'), 'CORRECT'],
      [],
    ]);
  });

  test('says in the check already that a gateway without keys cannot send it', async () => {
    const { batch, gateway } = await start({ items: loads(2), env: { IDEMPOTENCY_STORE: 'off' } });
    for (const run of [batch.check, batch.send]) {
      await run();
      expect(lines(batch)).toEqual(Array(2).fill('NOT_APPLIED NOT_SENT REPORT'));
      expect(batch.getSnapshot().items[0]?.errors).toMatchObject([{ code: 'IDEMPOTENCY_UNAVAILABLE' }]);
    }
    expect(gateway.takeCalls()).toEqual([]);
  });

  test('tells its listeners of every change, with a snapshot that is the same until then', async () => {
    const { batch } = await start({ items: loads(2) });
    const seen: boolean[] = [];
    const unsubscribe = batch.subscribe(() => seen.push(batch.getSnapshot().isRunning));
    expect(batch.getSnapshot()).toBe(batch.getSnapshot());
    const [first] = batch.getSnapshot().items;
    const run = batch.send();
    expect(batch.send()).toBe(run); // a second click
    await run;
    expect([seen.at(0), seen.at(-1)]).toEqual([true, false]);
    expect(batch.getSnapshot().items[0]).not.toBe(first);
    unsubscribe();
    const { length } = seen;
    batch.add([load(9)]);
    expect(seen).toHaveLength(length);
  });
});

describe('starting a list', () => {
  test('is refused while items of the one before are pending or unknown', async () => {
    const storage = memoryStorage();
    const { batch, gateway, options, lose } = await start({
      items: loads(3),
      size: 1,
      storage,
      maxAttempts: 1,
    });
    await batch.check();
    lose('response');
    await batch.send();
    expect(steps(batch)).toContain('REPEAT');
    // The page is loaded again, and its program starts the list as before.
    const { field, send } = options;
    const next = createBatch({ list: open(storage), field, send });
    const error = captured(() => next.start(loads(3)));
    expect(error).toMatchObject({
      name: 'UnsettledItemsError',
      items: [{ outcome: 'UNKNOWN', item: load(0) }],
    });
    expect(lines(next)).toEqual(lines(batch));
    await next.repeat();
    expect(steps(next)).toEqual(['NONE', 'NONE', 'NONE']);
    next.start([load(3), ...loads(3)]);
    expect(steps(next)).toEqual(['SEND', 'NONE', 'NONE', 'NONE']);
    await next.send();
    expect(gateway.takeCalls()).toHaveLength(4);
  });

  test('keeps the keys of equal items, whatever the order of their members', () => {
    const list = open();
    list.start(loads(2));
    const keys = list.getSnapshot().items.map(({ key }) => key);
    const reversed = Object.fromEntries(Object.entries(load(0).input).reverse());
    list.start([load(5), { input: reversed }, load(1), load(1)]);
    expect(list.getSnapshot().items.map(({ key }) => keys.indexOf(key))).toEqual([-1, 0, 1, -1]);
  });
});

describe('items in different notations are equal', () => {
  const query = BULK.replace('results { ', 'results { driverPhoneNumber carrier { scac } ');
  const inNotation = (number: number): Load => ({
    input: { ...input, driverPhoneNumber: `(303) 555-${String(1000 + number)}` },
  });
  const copyOf = (index: number) => [
    { rule: 'UNIQUE', message: `expected distinct items, got the same as the item with index ${index}` },
  ];

  test('in a list of more than one check', async () => {
    const items = [
      ...loads(500),
      ...Array.from({ length: 10 }, (_, number) => inNotation(number)),
      load(900),
    ];
    const { batch, gateway, sent } = await start({ items, query });
    await batch.check();
    expect(sent()).toEqual(['dry 500', 'dry 11']);
    expect(steps(batch)).toEqual([
      ...Array<string>(500).fill('SEND'),
      ...Array<string>(10).fill('CORRECT'),
      'SEND',
    ]);
    expect(batch.getSnapshot().items[509]?.errors).toMatchObject(copyOf(9));
    await batch.send();
    expect(gateway.takeCalls()).toEqual([]);
    await batch.send({ onInvalidItem: 'SEND_OTHERS' });
    expect(gateway.takeCalls()).toHaveLength(501);
  });

  test('after the first was sent, and while the list is running', async () => {
    const { batch, gateway } = await start({ items: [load(1)], query });
    await batch.send();
    batch.add([inNotation(1)]);
    await batch.send();
    expect([steps(batch), batch.getSnapshot().items[1]?.errors]).toMatchObject([
      ['NONE', 'CORRECT'],
      copyOf(0),
    ]);
    batch.remove(1);
    batch.add([load(2)]);
    const unsubscribe = batch.subscribe(() => {
      const { items } = batch.getSnapshot();
      if (items[1]?.outcome !== 'UNKNOWN') return;
      unsubscribe();
      batch.add([inNotation(2)]);
    });
    await batch.send();
    await batch.send();
    expect([steps(batch), batch.getSnapshot().items[2]?.errors]).toMatchObject([
      ['NONE', 'NONE', 'CORRECT'],
      copyOf(1),
    ]);
    expect(gateway.takeCalls()).toHaveLength(2);
  });

  test('but items that differ in anything else are not', async () => {
    const other = { input: { ...inNotation(1).input, carrier: { scac: 'EXMD' } } };
    const { batch, gateway } = await start({ items: [load(1)], query });
    await batch.send();
    batch.add([other]);
    await batch.send();
    expect(gateway.takeCalls()).toHaveLength(2);
    expect(batch.getSnapshot().items[1]).toMatchObject({ phase: 'QUEUED', errors: [{ code: 'NOT_FOUND' }] });
    expect(batch.getSnapshot().items[1]?.payload).toMatchObject({ driverPhoneNumber: '+13035551001' });
  });
});

describe('two tabs with one storage', () => {
  /** The page of the first tab is closed while its first part is in flight, and both rows of it were applied. */
  const startSending = async () => {
    const storage = memoryStorage();
    const started = await start({ storage, size: 2, concurrency: 1 });
    const other = open(storage);
    started.batch.start(loads(4));
    await started.batch.check();
    const { field, send } = started.options;
    const otherBatch = createBatch({ list: other, field, send, maxAttempts: 20 });
    started.lose('never');
    void started.batch.send();
    let calls = 0;
    await until(() => (calls += started.gateway.takeCalls().length) === 2);
    const keys = started.batch.getSnapshot().items.map(({ key }) => key);
    return { ...started, storage, other: otherBatch, keys };
  };
  const stored = (storage: ListOptions['storage']) =>
    open(storage)
      .getSnapshot()
      .items.map(({ key, outcome }) => `${key} ${outcome}`);

  test.each<[change: string, run: (batch: Batch<Load>) => void]>([
    ['add', (batch) => batch.add([load(9)])],
    ['clear', (batch) => batch.clear()],
    ['settle', (batch) => batch.settle({})],
    ['remove', (batch) => batch.remove(0)],
    ['start', (batch) => captured(() => batch.start(loads(4)))],
  ])('overwrite no key of what the other is sending: %s', async (_change, run) => {
    const { other, storage, keys } = await startSending();
    run(other);
    expect(stored(storage)).toEqual(
      expect.arrayContaining([`${keys[0] ?? ''} UNKNOWN`, `${keys[1] ?? ''} UNKNOWN`]),
    );
    const known = other.getSnapshot().items.filter(({ outcome }) => outcome === 'UNKNOWN');
    expect(known.map(({ key, nextStep }) => [key, nextStep])).toEqual(
      keys.slice(0, 2).map((key) => [key, 'REPEAT']),
    );
  });

  test('write no item twice that both were given', async () => {
    const { other, gateway, storage } = await startSending();
    expect(captured(() => other.start(loads(4)))).toMatchObject({ name: 'UnsettledItemsError' });
    await other.repeat();
    expect(steps(other)).toEqual(['NONE', 'NONE']);
    other.start(loads(4));
    await other.send();
    expect(steps(other)).toEqual(Array(4).fill('NONE'));
    expect(open(storage).getSnapshot().items).toHaveLength(4);
    expect(gateway.takeCalls()).toHaveLength(2);
  });

  test('have the same keys for equal new items, so that both may send them', async () => {
    const storage = memoryStorage();
    const { batch, gateway, options } = await start({ storage });
    const { field, send } = options;
    const other = createBatch({ list: open(storage), field, send, maxAttempts: 20 });
    batch.start(loads(3));
    other.add([load(2), load(3)]);
    expect(other.getSnapshot().items[0]?.key).toBe(batch.getSnapshot().items[2]?.key);
    await Promise.all([batch.send(), other.send()]);
    expect([steps(batch).slice(0, 3), steps(other).slice(0, 2)]).toEqual([
      ['NONE', 'NONE', 'NONE'],
      ['NONE', 'NONE'],
    ]);
    expect(gateway.takeCalls()).toHaveLength(4);
  });
});

test('an item that the token may not write is sent once the right is granted', async () => {
  const { batch, gateway } = await start({
    items: loads(2),
    faults: [{ status: 403 }],
    concurrency: 1,
    size: 1,
  });
  await batch.send();
  expect(lines(batch)).toEqual(['NOT_APPLIED RESPONSE REQUEST_ACCESS', SENT]);
  await batch.repeat();
  expect([steps(batch), gateway.takeCalls().length]).toEqual([['NONE', 'NONE'], 3]);
});

describe('a list is changed', () => {
  test('item by item: an applied one is only replaced on purpose', async () => {
    const { batch, gateway } = await start({ items: loads(2) });
    await batch.send();
    expect(() => batch.replace(0, load(0))).toThrow('Expected an item that was not applied');
    batch.replace(0, load(7), { evenIfApplied: true });
    batch.add([load(8)]);
    batch.remove(1);
    expect(batch.getSnapshot().items.map(({ item }) => item)).toEqual([load(7), load(8)]);
    await batch.send();
    expect([steps(batch), gateway.takeCalls().length]).toEqual([['NONE', 'NONE'], 4]);
    batch.clear();
    expect(batch.getSnapshot().items).toEqual([]);
  });

  test('by records of its writes, which settle what is unknown without a call', async () => {
    const { batch, gateway, lose } = await start({
      items: loads(4),
      size: 1,
      concurrency: 1,
      maxAttempts: 1,
    });
    await batch.check();
    lose('response');
    await batch.send();
    lose('request');
    await batch.repeat();
    expect(lines(batch)).toEqual(['UNKNOWN  REPEAT', UNSENT, UNSENT, UNSENT]);
    const keys = batch.getSnapshot().items.map(({ key }) => key);
    const query = 'query ($keys: [ID!]!) { writeRecords(idempotencyKeys: $keys) { idempotencyKey outcome } }';
    const source = await gateway.execute(query, { variables: { keys } });
    batch.settle(source);
    expect(lines(batch)).toEqual(['APPLIED  NONE', UNSENT, UNSENT, UNSENT]);
    batch.settle(new TypeError('Failed to fetch'));
    batch.settle({ data: { writeRecords: [null, { idempotencyKey: keys[1], outcome: 'APPLIED' }] } });
    expect(lines(batch)).toEqual(['APPLIED  NONE', UNSENT, UNSENT, UNSENT]);
    expect(gateway.takeCalls()).toHaveLength(1);
  });

  test('while it is sent: what was removed is not sent', async () => {
    const { batch, gateway } = await start({ items: loads(4), size: 1, concurrency: 1 });
    const unsubscribe = batch.subscribe(() => {
      if (batch.getSnapshot().items[0]?.outcome !== 'APPLIED') return;
      unsubscribe();
      batch.remove(3);
      batch.replace(2, load(9));
    });
    await batch.send();
    expect([lines(batch), gateway.takeCalls().length]).toEqual([[SENT, SENT, UNSENT], 2]);
  });
});

describe('a run', () => {
  test('that is cancelled starts nothing further, and keeps what it has learned', async () => {
    const { batch, gateway } = await start({ items: loads(4), size: 1, concurrency: 1 });
    const unsubscribe = batch.subscribe(() => {
      if (batch.getSnapshot().items[0]?.isPending) batch.cancel();
    });
    await batch.check();
    unsubscribe();
    batch.subscribe(() => {
      if (batch.getSnapshot().items[1]?.isPending) batch.cancel();
    });
    await batch.send();
    expect([lines(batch), gateway.takeCalls().length]).toEqual([[SENT, SENT, UNSENT, UNSENT], 2]);
  });

  test('says when it goes on, and a wait ends with it', async () => {
    const wait = () => new Promise<void>(() => undefined);
    const faults = [{ status: 429, headers: { 'retry-after': '30' } }];
    const { batch } = await start({ items: loads(1), faults, wait });
    const run = batch.send();
    await until(() => batch.getSnapshot().retryAt !== undefined);
    const { retryAt = 0 } = batch.getSnapshot();
    expect(retryAt - Date.now()).toBeGreaterThan(20_000);
    batch.cancel();
    await run;
    expect([steps(batch), batch.getSnapshot()]).toMatchObject([
      ['REPEAT'],
      { isRunning: false, retryAt: undefined },
    ]);
  });

  test('rejects with a bug of the program that sends, and goes on with the same keys', async () => {
    const { batch, gateway, options, lose } = await start({ items: loads(2), size: 1, concurrency: 2 });
    await batch.check();
    const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    onTestFinished(() => error.mockRestore());
    lose('bug');
    await expect(batch.send()).rejects.toThrow("Cannot read properties of undefined (reading 'data')");
    expect(batch.getSnapshot().isRunning).toBe(false);
    expect(steps(batch)).toContain('REPORT');
    expect(() => options.list.start([])).toThrow('got 1 pending or UNKNOWN items');
    await batch.repeat();
    expect([steps(batch), gateway.takeCalls().length]).toEqual([['NONE', 'NONE'], 2]);
  });

  test('that is rate limited after an unknown attempt leaves it unknown', async () => {
    const { batch, gateway, lose } = await start({
      items: loads(1),
      maxAttempts: 1,
      env: { RATE_LIMIT: '2/60s' },
    });
    await batch.check();
    lose('response');
    await batch.send();
    await batch.repeat();
    expect(lines(batch)).toEqual(['UNKNOWN  REPEAT']);
    expect(gateway.takeCalls()).toHaveLength(1);
  });
});

describe('an item', () => {
  test('that was rate limited is repeated with its key after the time that the service asks for', async () => {
    const faults = [{ status: 429, headers: { 'retry-after': '1' } }];
    const { batch, gateway, sent, waits } = await start({ items: loads(3), faults });
    await batch.send();
    expect([steps(batch), sent(), waits]).toEqual([['NONE', 'NONE', 'NONE'], ['dry 3', '3', '1'], [1000]]);
    expect(gateway.takeCalls()).toHaveLength(4);
  });

  test('of unknown outcome is left to people, and sent again with a new key', async () => {
    const { batch, gateway } = await start({ items: loads(3), faults: [{ status: 503 }] });
    await batch.send();
    expect(steps(batch).sort()).toEqual(['DECIDE', 'NONE', 'NONE']);
    await batch.repeat();
    const index = steps(batch).indexOf('DECIDE');
    expect(gateway.takeCalls()).toHaveLength(3);
    batch.replace(index, load(index));
    await batch.send();
    expect(steps(batch)).toEqual(['NONE', 'NONE', 'NONE']);
    expect(gateway.takeCalls()).toHaveLength(1);
  });

  test('is replayed if its response was lost', async () => {
    const { batch, gateway, sent, waits, lose } = await start({ items: loads(4), size: 2, concurrency: 1 });
    await batch.check();
    lose('response');
    await batch.send();
    expect([lines(batch), sent(), waits.length]).toEqual([
      ['APPLIED REPLAY NONE', 'APPLIED REPLAY NONE', SENT, SENT],
      ['dry 4', '2', '2', '2'],
      1,
    ]);
    expect(gateway.takeCalls()).toHaveLength(4);
  });
});

describe('a list that the gateway does not take as a whole', () => {
  const large = (number: number, addresses = 20) => ({
    input: {
      notificationName: `Dock ${number}`,
      recipient: {
        shipmentLevel: {
          emailList: Array.from(
            { length: addresses },
            (_, index) => `dispatch.${index}@carrier-${number}.example.com`,
          ),
          smsList: [],
        },
      },
      trigger: { shipmentStatusChange: ['DELIVERED'] },
    },
  });
  /** A tenth of the default. */
  const maxBodyBytes = 26_000;
  const startLarge = (options: Parameters<typeof start>[0]) =>
    start({
      field: 'createNotifications',
      query: BULK.replaceAll('TrackShipment', 'CreateNotification').replace(
        'trackShipments',
        'createNotifications',
      ),
      ...options,
    });

  test.each(['fetch', 'Apollo Client', 'urql'] as const)(
    'by its bytes is sent in smaller parts with %s, which keep their keys',
    async (client) => {
      const items = Array.from({ length: 30 }, (_, number) => large(number));
      const config = { http: { maxBodyBytes } };
      const { batch, gateway, sent } = await startLarge({ items, client, config });
      const keys = batch.getSnapshot().items.map(({ key }) => key);
      await batch.send();
      expect(new Set(steps(batch))).toEqual(new Set(['NONE']));
      const posts = gateway.takeCalls().filter(({ method }) => method === 'POST');
      expect(new Set(posts.map(({ body }) => JSON.stringify(body))).size).toBe(30);
      expect([posts.length, batch.getSnapshot().items.map(({ key }) => key)]).toEqual([30, keys]);
      expect(sent().filter((part) => part.startsWith('dry')).length).toBeLessThan(8);
    },
  );

  test.each([
    ['bytes', 'BAD_REQUEST', large(2, 12_000)],
    ['elements', 'QUERY_TOO_COMPLEX', large(2, 2000)],
  ])('because of the %s of one item fails with that one alone', async (_what, code, outlier) => {
    const items = [
      large(0),
      large(1),
      outlier,
      ...Array.from({ length: 40 }, (_, number) => large(number + 3)),
    ];
    const { batch, gateway, sent } = await startLarge({ items });
    await batch.send({ onInvalidItem: 'SEND_OTHERS' });
    const ends = batch.getSnapshot().items.map(({ nextStep }) => nextStep);
    expect(ends).toEqual(items.map((item) => (item === outlier ? 'REPORT' : 'NONE')));
    expect(batch.getSnapshot().items[2]?.errors).toMatchObject([{ code }]);
    expect(gateway.takeCalls().filter(({ method }) => method === 'POST')).toHaveLength(42);
    expect(sent().length).toBeLessThan(20);
  });

  test('by a proxy is sent in smaller parts, too, and what was unknown before stays unknown', async () => {
    const { batch, gateway, sent, lose } = await start({ items: loads(4), size: 4, maxAttempts: 1 });
    await batch.check();
    lose('response');
    await batch.send();
    expect(lines(batch)).toEqual(Array(4).fill('UNKNOWN  REPEAT'));
    lose('tooLarge');
    lose('tooLarge');
    lose('tooLarge');
    await batch.repeat();
    expect(sent()).toEqual(['dry 4', '4', '4', '2', '1', '1', '2']);
    expect(lines(batch)).toEqual(['UNKNOWN  REPORT', ...Array<string>(3).fill('APPLIED REPLAY NONE')]);
    expect(gateway.takeCalls()).toHaveLength(4);
  });
});

describe('while no response arrives,', () => {
  test('nothing further is started, and after three repeats the list waits for repeat()', async () => {
    const { batch, gateway, sent, waits, lose } = await start({ items: loads(6), size: 2, concurrency: 2 });
    await batch.check();
    for (let count = 0; count < 8; count += 1) lose('request');
    await batch.send();
    expect(sent()).toEqual(['dry 6', ...Array<string>(8).fill('2')]);
    expect(lines(batch)).toEqual([...Array<string>(4).fill('UNKNOWN  REPEAT'), UNSENT, UNSENT]);
    expect(waits).toEqual([500, 1000, 2000]);
    expect(gateway.takeCalls()).toEqual([]);
    await batch.repeat();
    expect(steps(batch)).toEqual(Array(6).fill('NONE'));
    expect(gateway.takeCalls()).toHaveLength(6);
  });
});

test('a token that expires in the middle ends the list, which goes on after signing in', async () => {
  const faults = [{}, {}, { status: 401 }];
  const { batch, gateway } = await start({ items: loads(6), size: 2, concurrency: 1, faults });
  await batch.send();
  expect(steps(batch).slice(0, 2)).toEqual(['NONE', 'NONE']);
  expect(steps(batch)).toContain('SIGN_IN');
  expect(steps(batch).slice(4)).toEqual(['SEND', 'SEND']);
  await batch.repeat();
  expect(steps(batch)).toEqual(Array(6).fill('NONE'));
  expect(gateway.takeCalls().length).toBeGreaterThanOrEqual(7);
});

describe('storage', () => {
  test('has the keys before anything is sent: after a reload in the middle, the list goes on', async () => {
    const storage = memoryStorage();
    const { batch, gateway, options, lose } = await start({
      items: loads(6),
      size: 2,
      concurrency: 1,
      storage,
    });
    await batch.check();
    lose('never');
    void batch.send();
    await until(() => batch.getSnapshot().items.some(({ isPending }) => isPending));
    await until(() => gateway.takeCalls().length > 0);
    // The page is gone.
    const { field, send } = options;
    const next = createBatch({ list: open(storage), field, send, size: 2 });
    expect(lines(next)).toEqual([
      ...Array<string>(2).fill('UNKNOWN  REPEAT'),
      ...Array<string>(4).fill(UNSENT),
    ]);
    await next.repeat();
    expect(steps(next)).toEqual(Array(6).fill('NONE'));
    expect(next.getSnapshot().items.map(({ key }) => key)).toEqual(
      batch.getSnapshot().items.map(({ key }) => key),
    );
  });

  test('that is restored after the gateway has forgotten the keys sends no item again', async () => {
    const storage = memoryStorage();
    const { batch, gateway, options, lose } = await start({
      items: loads(2),
      size: 1,
      concurrency: 1,
      storage,
    });
    await batch.check();
    lose('never');
    void batch.send();
    await until(() => gateway.takeCalls().length > 0);
    const { field, send } = options;
    const later = {
      list: open(storage),
      field,
      send: (...given: Parameters<typeof send>) => (vi.useRealTimers(), send(...given)),
    };
    const next = createBatch(later);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 });
    onTestFinished(() => void vi.useRealTimers());
    await next.repeat();
    expect(steps(next)).toEqual(['DECIDE', 'NONE']); // the second one was not sent before
    expect(gateway.takeCalls()).toHaveLength(1);
  });

  test.each(['not JSON', '{}', 'null'])('with %s is an empty list', (text) => {
    const storage = { getItem: () => text, setItem: () => undefined };
    expect(open(storage).getSnapshot().items).toEqual([]);
  });

  test('that is full keeps the list from being sent', async () => {
    const storage = {
      getItem: () => null,
      setItem: () => {
        throw new Error('full');
      },
    };
    const { batch, sent } = await start({ items: loads(1), storage });
    await expect(batch.send()).rejects.toThrow('full');
    expect([sent(), batch.getSnapshot().isRunning]).toEqual([[], false]);
  });
});

function open(storage?: ListOptions['storage']) {
  return createList<Load>({ name: 'loads', ...(storage && { storage }) });
}

function captured(run: () => void): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** What becomes of a request: lost, or its response lost, or no response, a 413 of a proxy, or a bug after it was sent. */
type Loss = 'bug' | 'never' | 'request' | 'response' | 'tooLarge';
const headers = { authorization: `Bearer ${TOKEN}` };

/** A list in front of a gateway. Waits take no time. */
async function start({
  faults = [],
  env = {},
  config,
  client = 'fetch',
  query = BULK,
  items = [],
  storage,
  ...given
}: Partial<BatchOptions<Load>> & {
  items?: Load[];
  storage?: ListOptions['storage'];
  faults?: Fault[];
  env?: Record<string, string>;
  config?: ConfigOverrides;
  client?: 'fetch' | 'Apollo Client' | 'urql';
  query?: string;
}) {
  const gateway = await forTest(
    startGateway({
      env: { IDEMPOTENCY_STORE: 'memory', SERVICE_CONNECTIONS: '4', ...env },
      config: { ...config, service: { retries: 0 } },
    }),
  );
  gateway.injectFaults(...faults);
  const waits: number[] = [];
  let sent: string[] = [];
  const losses: Loss[] = [];
  const apollo = new ApolloClient({
    link: ApolloLink.from([createRetryLink(), new HttpLink({ uri: gateway.url, headers })]),
    cache: new InMemoryCache(),
  });
  const urql = new Client({
    url: gateway.url,
    preferGetMethod: false,
    fetchOptions: { headers },
    exchanges: [createRetryExchange(), fetchExchange],
  });
  const list = open(storage);
  list.start(items);
  const options: BatchOptions<Load> = {
    list,
    field: 'trackShipments',
    random: () => 0.5,
    wait: (delayMs) => Promise.resolve(void waits.push(delayMs)),
    async send(items, { dryRun }) {
      sent.push(`${dryRun ? 'dry ' : ''}${items.length}`);
      const loss = losses.shift();
      if (loss === 'request') return LOST();
      if (loss === 'tooLarge') return new Response('<html></html>', { status: 413 });
      const variables = { items, dryRun };
      if (client === 'urql') return urql.mutation(query, variables).toPromise();
      if (client === 'Apollo Client') return apollo.mutate({ mutation: gql(query), variables });
      const response = post(gateway.url, { query, variables });
      if (loss === 'never') return new Promise(() => undefined);
      const result = JSON.parse((await response).text) as unknown;
      if (loss === 'bug') return (undefined as unknown as { data: unknown }).data;
      return loss === 'response' ? LOST() : result;
    },
    ...given,
  };
  const lose = (loss: Loss) => losses.push(loss);
  /** Sizes of the operations since the last call. */
  const takeSent = () => {
    const taken = sent;
    sent = [];
    return taken;
  };
  return {
    batch: createBatch(options),
    gateway,
    options,
    waits,
    /** Decides what becomes of the next request. */
    lose,
    sent: takeSent,
  };
}
