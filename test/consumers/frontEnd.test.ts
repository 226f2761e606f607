import { afterEach, beforeEach, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import * as frontEnd from './frontEnd/index.js';
import { clients, expectedCalls, expectedResult, faults, optionsFor } from './support/frontEndScenario.js';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startGateway({ env: { IDEMPOTENCY_STORE: 'memory' } });
});
afterEach(() => gateway.stop());

test.each(clients)(
  '%s reads, repeats a rejected update, updates its cache and distinguishes errors',
  async (_client, run) => {
    gateway.injectFaults(...faults);
    expect(await frontEnd[run](optionsFor(gateway.url))).toEqual(expectedResult);
    expect(gateway.takeCalls().map((call) => `${call.method} ${call.path}`)).toEqual(expectedCalls);
  },
);
