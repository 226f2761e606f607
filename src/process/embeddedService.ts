import type { MockService } from '../mock/mockService.js';

/** Starts the in-memory mock of the REST service. Loaded on demand: production never needs it. */
export async function startEmbeddedService(): Promise<MockService> {
  const { startMockService } = await import('../mock/mockService.js');
  return startMockService({ record: false });
}
