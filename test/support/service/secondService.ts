import {
  startReferenceService,
  type Fault,
  type RestCall,
} from '../../../src/reference-service/referenceService.js';
import { contractViolations } from './openapi.js';

export interface SecondService {
  readonly url: string;
  injectFault(fault: Fault): void;
  /** The REST calls since the last time it was asked. */
  takeCalls(): RestCall[];
  /** Fails when one of the REST calls broke the contract. */
  stop(): Promise<void>;
}

/** A reference service beside that of the gateway's harness, at an origin of its own. */
export async function startSecondService({
  toDocumentedForm = (call: RestCall) => call,
}: {
  /** Turns a REST call back into the documented form. */
  toDocumentedForm?: (call: RestCall) => RestCall;
} = {}): Promise<SecondService> {
  const queue: Fault[] = [];
  let taken = 0;
  const service = await startReferenceService({ faultFor: () => queue.shift() });
  return {
    url: service.url,
    injectFault(fault) {
      queue.push(fault);
    },
    takeCalls() {
      const calls = service.calls.slice(taken);
      taken = service.calls.length;
      return calls;
    },
    async stop() {
      await service.stop();
      const violations = service.calls.map(toDocumentedForm).flatMap(contractViolations);
      if (violations.length > 0) throw new Error(`REST calls broke the contract:\n${violations.join('\n')}`);
    },
  };
}
