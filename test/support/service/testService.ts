import { startMockService, type Fault, type RestCall } from '../../../src/mock/mockService.js';
import { assertContract } from './openapi.js';

/** The mock, with faults injected on request. */
export interface TestService {
  readonly url: string;
  /** Injects faults into the next REST calls, one each. */
  injectFaults(...faults: Fault[]): void;
  /** Injects a fault into every REST call from now on, or what it says of a call, or none. */
  injectFault(fault: Fault | ((call: RestCall) => Fault | undefined) | undefined): void;
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
  let faultFor: (call: RestCall) => Fault | undefined = () => undefined;
  let taken = 0;
  const service = await startMockService({ faultFor: (call) => faultFor(call) });
  return {
    url: service.url,
    injectFaults: (...faults) => service.injectFaults(...faults),
    injectFault(fault) {
      faultFor = typeof fault === 'function' ? fault : () => fault;
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
