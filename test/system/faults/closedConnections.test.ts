/** Services that close idle connections without notice, under load: how many writes meet a closing one, and what they report. */
import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { startFaultGateway, type FaultGateway } from '../../support/gateway/faultGateway.js';
import { about } from '../../support/graphql/faultOperations.js';

const CLIENTS = 8;
/** Within these, the gateway learns. */
const FIRST_CALLS = 100;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
});

describe('of writes to a service that', () => {
  test.each<[string, number, (socket: Socket) => void]>([
    ['closes connections 3 ms after a response', 220, (socket) => socket.destroy()],
    ['resets connections 3 ms after a response', 220, (socket) => socket.resetAndDestroy()],
    ['closes its direction 3 ms after a response, and goes on reading', 220, (socket) => socket.end()],
  ])('%s, hardly any is lost', async (_how, calls, close) => {
    const gateway = await start();
    gateway.service.onResponse = closeWhenIdle(3, close);
    await track(gateway, FIRST_CALLS);
    expect(await track(gateway, calls)).toBeLessThanOrEqual(calls * 0.05);
  });

  test('keeps connections, all succeed, one after the other over one connection', async () => {
    const gateway = await start();
    expect(await track(gateway, 50, { clients: 1 })).toBe(0);
    expect(gateway.service.connections.length).toBe(1);
  });
});

async function start(): Promise<FaultGateway> {
  const gateway = await startFaultGateway();
  cleanups.push(() => gateway.stop());
  return gateway;
}

/**
 * Sends tracking calls, compares what each client reads with what the service received, and returns how many have an unknown
 * outcome.
 */
async function track(
  gateway: FaultGateway,
  count: number,
  { clients = CLIENTS }: { clients?: number } = {},
): Promise<number> {
  const prefix = `subject-${gateway.service.requests.length}`;
  const outcomes: string[] = [];
  let sent = 0;
  const run = async () => {
    while (sent < count) {
      const subject = `${prefix}.${sent++}`;
      const { errors } = await gateway.execute(about('trackShipment', subject));
      const [error] = (errors ?? []) as { extensions: { outcome: string } }[];
      const outcome = error?.extensions.outcome ?? 'APPLIED';
      const received = gateway.service.requests.filter((request) => request.subject === subject).length;
      const possible = { APPLIED: [1], NOT_APPLIED: [0], UNKNOWN: [0, 1] }[outcome];
      expect({ subject, outcome, received: possible?.includes(received) }).toEqual({
        subject,
        outcome,
        received: true,
      });
      outcomes.push(outcome);
    }
  };
  await Promise.all(Array.from({ length: clients }, run));
  const unknown = outcomes.filter((outcome) => outcome === 'UNKNOWN').length;
  console.log(`${unknown} of ${outcomes.length} writes have an unknown outcome`);
  return unknown;
}

function closeWhenIdle(idleMs: number, close: (socket: Socket) => void) {
  const timers = new WeakMap<Socket, NodeJS.Timeout>();
  return (socket: Socket) => {
    clearTimeout(timers.get(socket));
    timers.set(
      socket,
      setTimeout(() => close(socket), idleMs),
    );
  };
}
