/** The real gateway in front of the mock, both over HTTP on free ports. */
import { useStarted } from '../tools/useStarted.js';
import { startTestService, type TestService, type TestServiceOptions } from '../service/testService.js';
import {
  startInProcessGateway,
  TOKEN,
  type InProcessGateway,
  type InProcessGatewayOptions,
} from './inProcessGateway.js';

export { TOKEN };

export interface GraphQLResponse {
  status: number;
  headers: Headers;
  data: unknown;
  errors: readonly GraphQLResponseError[] | undefined;
  extensions: Record<string, unknown> | undefined;
}

export interface GraphQLResponseError {
  message: string;
  path?: readonly (string | number)[];
  extensions: Record<string, unknown>;
}

export interface RequestOptions {
  variables?: Record<string, unknown>;
  /** Null sends no Authorization header. @default TOKEN */
  token?: string | null;
  headers?: Record<string, string>;
  signal?: AbortSignal;
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
  ...options
}: TestGatewayOptions = {}): Promise<TestGateway> {
  const service = await startTestService(options);
  const gateway = await startInProcessGateway(service, { env, config, usesMockService, readsBack });

  const execute: TestGateway['execute'] = async (
    query,
    { variables, token = TOKEN, headers, signal } = {},
  ) => {
    const response = await fetch(gateway.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: JSON.stringify({ query, variables }),
      ...(signal && { signal }),
    });
    const { data, errors, extensions } = (await response.json()) as Omit<
      GraphQLResponse,
      'headers' | 'status'
    >;
    return { status: response.status, headers: response.headers, data, errors, extensions };
  };

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
