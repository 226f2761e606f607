import { expect, test } from 'vitest';
import { createTickEnd } from '../../src/http/writeBatching.js';

test('all who wait in one turn of the event loop go on after it, one after the other', async () => {
  const endOfTurn = createTickEnd();
  const events: string[] = [];
  const wait = async (name: string) => {
    await endOfTurn();
    events.push(name);
  };
  const waits = [wait('first'), wait('second')];
  setImmediate(() => events.push('next of the turn'));
  await Promise.resolve().then(() => waits.push(wait('third')));
  process.nextTick(() => events.push('work of the turn'));
  await Promise.all(waits);
  expect(events).toEqual(['work of the turn', 'first', 'second', 'third']);
});

test('who waits later waits for the end of a later turn', async () => {
  const endOfTurn = createTickEnd();
  const first = endOfTurn();
  expect(endOfTurn()).toBe(first);
  await first;
  const events: string[] = [];
  setImmediate(() => events.push('the turn'));
  const second = endOfTurn();
  expect(second).not.toBe(first);
  await second;
  expect(events).toEqual(['the turn']);
});
