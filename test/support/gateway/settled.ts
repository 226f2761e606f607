import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultGateway } from './faultGateway.js';

/** Waits until the gateway has processed everything that has reached it so far. */
export async function settled(gateway: FaultGateway): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    await gateway.execute({ query: '{ __typename }', variables: {} });
    await sleep(20);
  }
}
