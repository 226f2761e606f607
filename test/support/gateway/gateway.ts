/** The real gateway in front of the mock, both over HTTP on free ports. */
import { post, TOKEN, type PostOptions } from '../http/post.js';
import { useStarted } from '../tools/useStarted.js';
import { startTestService, type TestServiceOptions } from '../service/testService.js';
import type { Operation } from '../graphql/rootFields.js';
import { startInProcessGateway, type InProcessGatewayOptions } from './inProcessGateway.js';

export { TOKEN };

export interface RequestOptions extends PostOptions {
  variables?: Record<string, unknown>;
}

export type TestGateway = Awaited<ReturnType<typeof startGateway>>;

export interface TestGatewayOptions extends TestServiceOptions, InProcessGatewayOptions {}

/** The gateway of a file or suite. Options that other hooks set up come from a function. */
export function useGateway(
  options?: TestGatewayOptions | (() => Promise<TestGatewayOptions> | TestGatewayOptions),
) {
  return useStarted(async () => startGateway(typeof options === 'function' ? await options() : options));
}

export async function startGateway({
  env,
  config,
  usesMockService,
  readsBack,
  ...serviceOptions
}: TestGatewayOptions = {}) {
  const service = await startTestService(serviceOptions);
  const gateway = await startInProcessGateway(service, { env, config, usesMockService, readsBack });

  /** Sends an operation, or a document with variables. */
  const execute = (operation: Operation | string, { variables, ...options }: RequestOptions = {}) =>
    post(gateway.url, typeof operation === 'string' ? { query: operation, variables } : operation, options);

  return {
    ...service,
    ...gateway, // stopping it stops the service, which fails if one of the REST calls violated the contract
    serviceUrl: service.url,
    execute,
    /** Sends an operation and returns its data; fails with the whole response if that has errors. */
    async data(operation: Operation | string, requestOptions?: RequestOptions): Promise<unknown> {
      const { status, data, errors } = await execute(operation, requestOptions);
      if (errors)
        throw new Error(
          `Expected no errors: ${JSON.stringify({ operation, status, data, errors }, null, 2)}`,
        );
      return data;
    },
  };
}
