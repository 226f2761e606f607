import { expect, test } from 'vitest';
import { createTickEnd } from '../../src/http/connections.js';

test('resumes all waiters of a tick in order after that tick', async () => {
  const tickEnd = createTickEnd();
  const events: string[] = [];
  const wait = async (name: string) => {
    await tickEnd();
    events.push(name);
  };
  const waits = [wait('first'), wait('second')];
  setImmediate(() => events.push('next tick'));
  await Promise.resolve().then(() => waits.push(wait('third')));
  process.nextTick(() => events.push('work of the tick'));
  await Promise.all(waits);
  expect(events).toEqual(['work of the tick', 'first', 'second', 'third']);
});

test('resumes later waiters after a later tick', async () => {
  const tickEnd = createTickEnd();
  const first = tickEnd();
  expect(tickEnd()).toBe(first);
  await first;
  const events: string[] = [];
  setImmediate(() => events.push('tick'));
  const second = tickEnd();
  expect(second).not.toBe(first);
  await second;
  expect(events).toEqual(['tick']);
});
