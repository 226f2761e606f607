import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultGateway } from './faultGateway.js';

const PING = { query: '{ __typename }', variables: {} };

/**
 * Runs a task while pinging the gateway with operations that need no service. `lagMs` is how much a busy machine may
 * delay a call, twice the slowest ping, so that tests of deadlines can allow for it.
 */
export async function measureEventLoopLag<Result>(
  gateway: FaultGateway,
  task: () => Promise<Result>,
): Promise<{ result: Result; lagMs: number }> {
  let longestMs = 0;
  let isDone = false;
  const ping = async () => {
    while (!isDone) {
      const { elapsedMs } = await gateway.execute(PING);
      longestMs = Math.max(longestMs, elapsedMs);
      await sleep(5);
    }
  };
  const pinging = ping();
  const result = await task().finally(() => {
    isDone = true;
  });
  await pinging;
  return { result, lagMs: 2 * longestMs };
}

/** Waits until the gateway has processed everything that has reached it so far. */
export async function settled(gateway: FaultGateway): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    await gateway.execute(PING);
    await sleep(20);
  }
}
