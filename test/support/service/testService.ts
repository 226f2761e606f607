import { startMockService, type Fault, type RestCall } from '../../../src/mock/mockService.js';
import { assertContract } from './openapi.js';

export interface TestServiceOptions {
  /** Restores the documented form of a REST call whose parts the configuration placed elsewhere. @default identity */
  toDocumentedForm?: (call: RestCall) => RestCall;
}

/** The mock, with faults injected on request. */
export async function startTestService({ toDocumentedForm = (call) => call }: TestServiceOptions = {}) {
  let faultFor: (call: RestCall) => Fault | undefined = () => undefined;
  let taken = 0;
  const service = await startMockService({ faultFor: (call) => faultFor(call) });
  return {
    url: service.url,
    /** Injects faults into the next REST calls, one each. */
    injectFaults: (...faults: Fault[]) => service.injectFaults(...faults),
    /** Injects a fault into every REST call from now on, or what it says of a call, or none. */
    injectFault(fault: Fault | ((call: RestCall) => Fault | undefined) | undefined) {
      faultFor = typeof fault === 'function' ? fault : () => fault;
    },
    /** The REST calls since the last call of this function. */
    takeCalls(): RestCall[] {
      const calls = service.calls.slice(taken);
      taken = service.calls.length;
      return calls;
    },
    /** Fails if one of the REST calls violated the contract. */
    async stop() {
      await service.stop();
      assertContract(service.calls.map(toDocumentedForm));
    },
  };
}
