/** The real gateway in front of the real reference service, both over HTTP on free ports. */
import { pino } from 'pino';
import { parseConfig } from '../../../src/config/config.js';
import { createGateway } from '../../../src/gateway.js';
import {
  startReferenceService,
  type Fault,
  type RestCall,
} from '../../../src/reference-service/referenceService.js';
import { contractViolations } from '../service/openapi.js';

export const TOKEN = 'a-token.of~the_caller+/==';

export interface GraphQLResponse {
  status: number;
  headers: Headers;
  data: unknown;
  errors: readonly GraphQLResponseError[] | undefined;
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

export interface TestGateway {
  readonly url: string;
  readonly serviceUrl: string;
  /** Sends one operation. */
  execute(query: string, options?: RequestOptions): Promise<GraphQLResponse>;
  /** Sends one operation, and fails with its whole answer when that has errors; gives its data. */
  data(query: string, options?: RequestOptions): Promise<unknown>;
  /** What happens to the next REST calls, one each, before the service is itself again. */
  injectFaults(...faults: Fault[]): void;
  /** What happens to every REST call from now on. */
  injectFault(fault: Fault | undefined): void;
  /** The REST calls since the last time it was asked. */
  takeCalls(): RestCall[];
  /** The lines that the gateway logged, parsed. */
  readonly logLines: Record<string, unknown>[];
  /** Fails when one of the REST calls broke the contract. */
  stop(): Promise<void>;
}

export interface TestGatewayOptions {
  /** Environment variables; SERVICE_URL is set to the reference service where it is missing. */
  env?: Record<string, string>;
  /**
   * Turns a REST call back into the documented form, where the configuration places its parts elsewhere: every call
   * is held against seeds/openapi.yaml.
   */
  toDocumentedForm?: (call: RestCall) => RestCall;
}

export async function startGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const { env = {}, toDocumentedForm = (call: RestCall) => call } = options;
  const queue: Fault[] = [];
  let standing: Fault | undefined;
  let taken = 0;
  const service = await startReferenceService({ faultFor: () => queue.shift() ?? standing });
  const logLines: Record<string, unknown>[] = [];
  const write = (line: string) => {
    logLines.push(JSON.parse(line) as Record<string, unknown>);
  };
  const log = pino({ level: 'trace' }, { write });
  const { SERVICE_URL = new URL(service.url), ...config } = parseConfig({
    SERVICE_URL: service.url,
    PORT: '0',
    NODE_ENV: 'production',
    DRAIN_DELAY_MS: '0',
    ...env,
  });
  const gateway = await createGateway({ config: { ...config, SERVICE_URL }, log });
  const url = await gateway.listen();

  const execute: TestGateway['execute'] = async (
    query,
    { variables, token = TOKEN, headers, signal } = {},
  ) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: JSON.stringify({ query, variables }),
      ...(signal && { signal }),
    });
    const { data, errors } = (await response.json()) as Pick<GraphQLResponse, 'data' | 'errors'>;
    return { status: response.status, headers: response.headers, data, errors };
  };

  return {
    url,
    serviceUrl: service.url,
    execute,
    async data(query, requestOptions) {
      const { status, data, errors } = await execute(query, requestOptions);
      if (errors)
        throw new Error(`Expected no errors: ${JSON.stringify({ query, status, data, errors }, null, 2)}`);
      return data;
    },
    injectFaults(...faults) {
      queue.push(...faults);
    },
    injectFault(fault) {
      standing = fault;
    },
    takeCalls() {
      const calls = service.calls.slice(taken);
      taken = service.calls.length;
      return calls;
    },
    logLines,
    async stop() {
      await gateway.stop();
      await service.stop();
      const violations = service.calls.map(toDocumentedForm).flatMap(contractViolations);
      if (violations.length > 0) throw new Error(`REST calls broke the contract:\n${violations.join('\n')}`);
    },
  };
}
