import { expect, test } from 'vitest';
import { jittered } from '../../src/domain/jitter.js';

test('a jittered duration differs by at most 10 %, in both directions', () => {
  const durations = Array.from({ length: 1000 }, () => jittered(1000));
  expect(Math.min(...durations)).toBeGreaterThanOrEqual(900);
  expect(Math.min(...durations)).toBeLessThan(950);
  expect(Math.max(...durations)).toBeGreaterThan(1050);
  expect(Math.max(...durations)).toBeLessThanOrEqual(1100);
});
