import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultGateway } from './faultGateway.js';

const HEARTBEAT = { query: '{ __typename }', variables: {} };

/**
 * Runs a task, and meanwhile operations that need no service, one after the other. `lagMs` is what a call may take
 * longer because the machine is busy, on its way in as well as on its way out: so a test of times can leave it out
 * of account.
 */
export async function measureEventLoopLag<Result>(
  gateway: FaultGateway,
  task: () => Promise<Result>,
): Promise<{ result: Result; lagMs: number }> {
  let longestMs = 0;
  let isOver = false;
  const beat = async () => {
    while (!isOver) {
      const { elapsedMs } = await gateway.execute(HEARTBEAT);
      longestMs = Math.max(longestMs, elapsedMs);
      await sleep(5);
    }
  };
  const beating = beat();
  const result = await task().finally(() => {
    isOver = true;
  });
  await beating;
  return { result, lagMs: 2 * longestMs };
}

/** Waits until the gateway has dealt with what reached it up to now. */
export async function settled(gateway: FaultGateway): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    await gateway.execute(HEARTBEAT);
    await sleep(20);
  }
}
