/**
 * The two paths of the same operation: through Apollo Server, as the first request of a document, and past it, as all later ones.
 * Each path has its own gateway and service, so both start from the same state.
 */
import { expect } from 'vitest';
import type { InProcessGatewayOptions } from '../gateway/inProcessGateway.js';
import { startObservedGateway, type Observation, type ObservedRequest } from './observedGateway.js';

export interface BothPaths {
  /** Sends a request on both paths, fails if their observations differ, and returns the common one. */
  expectSame(request: ObservedRequest): Promise<Observation>;
  stop(): Promise<void>;
}

export async function startBothPaths(options: InProcessGatewayOptions = {}): Promise<BothPaths> {
  // One connection to the service and no retries, so REST calls arrive in a fixed order.
  const observed = {
    ...options,
    env: { SERVICE_CONNECTIONS: '1', ...options.env },
    config: { service: { retries: 0 } },
  };
  const [apollo, fastPath] = [await startObservedGateway(observed), await startObservedGateway(observed)];
  let requestCount = 0;

  /** The same document under a source that no gateway has seen; anything that is not a document stays unchanged. */
  const withNewSource = ({ body, ...others }: ObservedRequest): ObservedRequest => {
    requestCount += 1;
    const query = queryOf(body);
    const isDocument = query !== undefined && /^\s*[{a-z]/.test(query);
    return {
      body: isDocument ? { ...(body as object), query: `${query}\n#${requestCount}` } : body,
      ...others,
    };
  };

  return {
    async expectSame(request) {
      const { faults = [] } = request;
      const expected = await apollo.observe(withNewSource(request), faults);
      await fastPath.warmUp(queryOf(request.body));
      expect(await fastPath.observe(request, faults)).toEqual(expected);
      return expected;
    },
    async stop() {
      for (const gateway of [apollo, fastPath]) await gateway.stop();
    },
  };
}

function queryOf(body: unknown): string | undefined {
  const { query } = (typeof body === 'object' && body !== null ? body : {}) as { query?: unknown };
  return typeof query === 'string' ? query : undefined;
}
