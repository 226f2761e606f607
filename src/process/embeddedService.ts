import type { ReferenceService } from '../reference-service/referenceService.js';

/** Starts the in-memory mock of the REST service. Loaded on demand: production never needs it. */
export async function startEmbeddedService(): Promise<ReferenceService> {
  const { startReferenceService } = await import('../reference-service/referenceService.js');
  return startReferenceService({ record: false });
}
