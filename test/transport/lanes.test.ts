import { expect, test } from 'vitest';
import { createLanes } from '../../src/freight/lanes.js';
import { clientNamed } from '../support/service/clientIdentities.js';

/** A list that takes as many lanes as one client may have. */
function openList(lanes: ReturnType<typeof createLanes>, name: string) {
  const held: NonNullable<ReturnType<typeof own.take>>[] = [];
  let wants = lanes.perClient;
  const takeAll = () => {
    for (let lane; held.length < wants && (lane = own.take());) held.push(lane);
  };
  const own = lanes.forList(clientNamed(name), takeAll);
  takeAll();
  return {
    get held() {
      return held.length;
    },
    /** One of its items ends; then it takes the next one. */
    endOne() {
      const lane = held.pop();
      if (lane) own.release(lane);
      takeAll();
    },
    /** It pauses, or has no items left. */
    stop() {
      wants = 0;
    },
    leave() {
      own.leave();
    },
  };
}

test('A lane that becomes free goes to the client that waits for one, not back to the list that had it', () => {
  const lanes = createLanes(16);
  const lists = ['a', 'b', 'c', 'd'].map((name) => openList(lanes, name));
  expect(lists.map(({ held }) => held)).toEqual([4, 4, 4, 0]);
  lists[0]?.endOne();
  expect(lists.map(({ held }) => held)).toEqual([3, 4, 4, 1]);
});

test('A list that is woken and takes none passes its turn on, and one that left has none', () => {
  const lanes = createLanes(4);
  const holders = ['a', 'b', 'c'].map((name) => openList(lanes, name));
  const [stopped, left, next] = ['stopped', 'left', 'next'].map((name) => openList(lanes, name));
  expect([stopped, left, next].map((each) => each?.held)).toEqual([0, 0, 0]);
  stopped?.stop();
  left?.leave();
  holders[0]?.endOne();
  expect([stopped, left, next].map((each) => each?.held)).toEqual([0, 0, 1]);
});
