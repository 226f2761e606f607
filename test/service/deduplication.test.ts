import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { statusFault, statusFailure } from '../support/service/faultCases.js';
import { startFaultGateway, TOKEN, until, type FaultGateway } from '../support/gateway/faultGateway.js';
import { about, failure, success } from '../support/graphql/faultOperations.js';

const READ = about('notification', 'the same');
const CALLERS = 20;

let gateway: FaultGateway;
let answer: () => void;
beforeEach(async () => {
  gateway = await startFaultGateway({ env: { SERVICE_RETRIES: '0' } });
  hold();
});
afterEach(() => gateway.stop());

/** Has the service answer no call until it is told to. */
function hold() {
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  gateway.service.plan = () => ({ kind: 'delay', until: () => held });
}

/** Sends the read for so many callers, and waits until each of them waits for the service. */
async function readAll(count: number, options: Parameters<FaultGateway['execute']>[1] = {}) {
  const joined = () => gateway.logLines.filter(({ msg }) => msg === 'REST call deduplicated').length;
  const before = joined() + gateway.service.requests.length;
  const reads = Array.from({ length: count }, async () => {
    const { data, errors } = await gateway.execute(READ, options);
    return { data, errors };
  });
  await until(() => joined() + gateway.service.requests.length === before + count);
  return reads;
}

const sent = () => gateway.service.requests.map(({ method, path }) => `${method} ${path}`);
const GET = 'GET /v1/customnotifications/the%20same';

test('callers with one token that read the same at the same time share a REST call', async () => {
  const reads = await readAll(CALLERS);
  answer();
  expect(await Promise.all(reads)).toEqual(Array(CALLERS).fill(success('notification', 'the same')));
  expect(sent()).toEqual([GET]);
});

test('what fails fails for all of them', async () => {
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  gateway.service.plan = () => ({ kind: 'delay', until: () => held, then: statusFault(503) });
  const reads = await readAll(CALLERS);
  answer();
  expect(await Promise.all(reads)).toEqual(Array(CALLERS).fill(failure('notification', statusFailure(503))));
  expect(sent()).toEqual([GET]);
});

test('a call that has ended is not shared', async () => {
  answer();
  for (let count = 0; count < 3; count += 1) await gateway.execute(READ);
  expect(sent()).toEqual([GET, GET, GET]);
});

test('callers with other tokens have calls of their own', async () => {
  const reads = [
    await readAll(2, { token: 'one' }),
    await readAll(2, { token: 'other' }),
    await readAll(2),
  ].flat();
  answer();
  expect(await Promise.all(reads)).toEqual(Array(6).fill(success('notification', 'the same')));
  expect(gateway.service.requests.map(({ headers }) => headers['authorization'])).toEqual([
    'Bearer one',
    'Bearer other',
    `Bearer ${TOKEN}`,
  ]);
});

describe('a caller that leaves', () => {
  test('disturbs no other, even where the call was begun for it', async () => {
    const departure = new AbortController();
    const [first] = await readAll(1, { signal: departure.signal });
    const others = await readAll(2);
    departure.abort();
    await expect(first).rejects.toThrow();
    await until(() => gateway.logLines.some(({ outcome }) => outcome === 'aborted'));
    answer();
    expect(await Promise.all(others)).toEqual(Array(2).fill(success('notification', 'the same')));
    expect(sent()).toEqual([GET]);
  });

  test('takes the call along when it is the last', async () => {
    const departure = new AbortController();
    const reads = await readAll(3, { signal: departure.signal });
    departure.abort();
    await Promise.allSettled(reads);
    await until(() => gateway.service.requests.every(({ connection }) => connection?.closedAt !== undefined));
    expect(gateway.logLines.filter(({ outcome }) => outcome === 'aborted').length).toBe(3);
    const ends = gateway.logLines.filter(({ msg }) => msg === 'REST call').map(({ error }) => error);
    expect(ends).toEqual(['CancelledError']); // it would have ended at its timeout, too

    const later = await readAll(1);
    answer();
    expect(await Promise.all(later)).toEqual([success('notification', 'the same')]);
    expect(sent()).toEqual([GET, GET]);
  });
});

test('nobody joins a read that began before a write ended', async () => {
  const early = await readAll(1);
  const held = gateway.service.plan;
  gateway.service.plan = () => undefined;
  await gateway.execute(about('updateNotification', 'the same'));
  gateway.service.plan = held;
  const late = await readAll(1);
  answer();
  await Promise.all([...early, ...late]);
  expect(sent()).toEqual([GET, 'PUT /v1/customnotifications/the%20same', GET]);
});

test('a read that began before a write ended leaves alone the one that began after it', async () => {
  const early = await readAll(1);
  const answerEarly = answer;
  gateway.service.plan = () => undefined;
  await gateway.execute(about('updateNotification', 'the same'));
  hold();
  const late = await readAll(1);
  answerEarly();
  await Promise.all(early);
  late.push(...(await readAll(1)));
  answer();
  await Promise.all(late);
  expect(sent()).toEqual([GET, 'PUT /v1/customnotifications/the%20same', GET]);
});

test('one request reads the same once, whatever it is called in it', async () => {
  answer();
  const { query, variables } = READ;
  const twice = query.replace(/\{ (notification.*) \}$/, '{ one: $1 other: $1 }');
  const { errors } = await gateway.execute({ query: twice, variables });
  expect([errors, sent()]).toEqual([undefined, [GET]]);
});
