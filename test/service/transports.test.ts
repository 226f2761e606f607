import { expect, test } from 'vitest';
import { createTransports } from '../../src/service/transport/transports.js';

test('createTransports creates one transport per origin', async () => {
  const transports = createTransports({
    timeoutMs: 1000,
    retries: 0,
    maxConnections: 1,
    maxConnectionAgeMs: 0,
    queueLimit: 0,
    circuitOpenMs: 1000,
    maxResponseBytes: 1000,
    observer: {
      onCallCancelled: () => undefined,
      onCallRejected: () => undefined,
      onContractViolation: () => undefined,
      onCircuitChange: () => undefined,
      onClientCircuitChange: () => undefined,
    },
  });
  const urls = [
    'http://a.test/x',
    'http://a.test/y',
    'http://a.test:8080/x',
    'https://a.test/x',
    'http://b.test/',
  ];
  const [first, sameOrigin, ...others] = urls.map((url) => transports.to(new URL(url)));
  expect(sameOrigin).toBe(first);
  expect(new Set([first, ...others]).size).toBe(4);
  await transports.stop();
});
