import { startMockService, type Fault, type RestCall } from '../../../src/mock/mockService.js';
import { assertContract } from './openapi.js';

/** The mock, with faults injected on request. */
export interface TestService {
  readonly url: string;
  /** Injects faults into the next REST calls, one each. */
  injectFaults(...faults: Fault[]): void;
  /** Injects a fault into every REST call from now on, or none. */
  injectFault(fault: Fault | undefined): void;
  /** The REST calls since the last call of this function. */
  takeCalls(): RestCall[];
  /** Fails if one of the REST calls violated the contract. */
  stop(): Promise<void>;
}

export interface TestServiceOptions {
  /** Restores the documented form of a REST call whose parts the configuration placed elsewhere. @default identity */
  toDocumentedForm?: (call: RestCall) => RestCall;
}

export async function startTestService({
  toDocumentedForm = (call) => call,
}: TestServiceOptions = {}): Promise<TestService> {
  let standingFault: Fault | undefined;
  let taken = 0;
  const service = await startMockService({ faultFor: () => standingFault });
  return {
    url: service.url,
    injectFaults: (...faults) => service.injectFaults(...faults),
    injectFault(fault) {
      standingFault = fault;
    },
    takeCalls() {
      const calls = service.calls.slice(taken);
      taken = service.calls.length;
      return calls;
    },
    async stop() {
      await service.stop();
      assertContract(service.calls.map(toDocumentedForm));
    },
  };
}
