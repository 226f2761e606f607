/** The real gateway in front of the mock, both over HTTP on free ports. */
import { post, TOKEN, type GraphQLResponse, type PostOptions } from '../http/post.js';
import { useStarted } from '../tools/useStarted.js';
import { startTestService, type TestService, type TestServiceOptions } from '../service/testService.js';
import {
  startInProcessGateway,
  type InProcessGateway,
  type InProcessGatewayOptions,
} from './inProcessGateway.js';

export { TOKEN };

export interface RequestOptions extends PostOptions {
  variables?: Record<string, unknown>;
}

export interface TestGateway extends InProcessGateway, TestService {
  /** URL of the GraphQL endpoint. */
  readonly url: string;
  readonly serviceUrl: string;
  /** Sends an operation. */
  execute(query: string, options?: RequestOptions): Promise<GraphQLResponse>;
  /** Sends an operation and returns its data; fails with the whole response if that has errors. */
  data(query: string, options?: RequestOptions): Promise<unknown>;
  /** Stops gateway and service; fails if one of the REST calls violated the contract. */
  stop(): Promise<void>;
}

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
}: TestGatewayOptions = {}): Promise<TestGateway> {
  const service = await startTestService(serviceOptions);
  const gateway = await startInProcessGateway(service, { env, config, usesMockService, readsBack });

  const execute: TestGateway['execute'] = (query, { variables, ...options } = {}) =>
    post(gateway.url, { query, variables }, options);

  return {
    ...service,
    ...gateway,
    serviceUrl: service.url,
    execute,
    async data(query, requestOptions) {
      const { status, data, errors } = await execute(query, requestOptions);
      if (errors)
        throw new Error(`Expected no errors: ${JSON.stringify({ query, status, data, errors }, null, 2)}`);
      return data;
    },
  };
}
