/** Which calls use idle connections once the service has closed one. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startFaultGateway, type FaultGateway } from '../support/gateway/faultGateway.js';
import { about, success } from '../support/graphql/faultOperations.js';

let gateway: FaultGateway;
beforeEach(async () => {
  gateway = await startFaultGateway({ env: { SERVICE_CONNECTIONS: '4' } });
  vi.useFakeTimers({ toFake: ['performance'] }); // no time passes, so that no connection lasts longer than the one that closes
  await execute('trackShipment', 'before');
  gateway.service.disconnect();
  await execute('notification', 'closed');
});
afterEach(async () => {
  vi.useRealTimers();
  await gateway.stop();
});

test('reads use idle connections, and writes open new ones, also while others wait for a connection', async () => {
  const subjects = Array.from({ length: 12 }, (_, index) => `subject-${index}`);
  expect(await countOpened(() => execute('notification', 'any'))).toBe(0);
  for (const subject of subjects) expect(await countOpened(() => execute('trackShipment', subject))).toBe(1);
  expect(
    await countOpened(() => Promise.all(subjects.map((subject) => execute('deleteException', subject)))),
  ).toBe(subjects.length);
  for (const subject of subjects) expect(await countOpened(() => execute('notification', subject))).toBe(0);
});

test('a read that loses an idle connection is retried over a new one', async () => {
  await execute('trackShipment', 'another connection');
  gateway.service.faults.set('lost', [{ kind: 'close' }]);
  expect(await countOpened(() => execute('notification', 'lost'))).toBe(1);
  const requests = gateway.service.requests.filter(({ subject }) => subject === 'lost');
  expect(requests.map(({ connection }) => connection)).toEqual([
    expect.anything(),
    gateway.service.connections.at(-1),
  ]);
});

async function execute(field: 'deleteException' | 'notification' | 'trackShipment', subject: string) {
  expect(await gateway.result(about(field, subject))).toEqual(success(field, subject));
}

async function countOpened(act: () => Promise<unknown>): Promise<number> {
  const before = gateway.service.connections.length;
  await act();
  return gateway.service.connections.length - before;
}
