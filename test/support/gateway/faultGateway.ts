/** The real gateway in front of a service that misbehaves, both over HTTP on free ports. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { asVariables, type Operation } from '../graphql/rootFields.js';
import { startFaultServer, type FaultServerOptions } from '../service/faultServer.js';
import { assertContract } from '../service/openapi.js';
import { TOKEN } from '../http/post.js';
import { useStarted } from '../tools/useStarted.js';
import { startInProcessGateway, type InProcessGatewayOptions } from './inProcessGateway.js';

export { TOKEN };

export interface ExecuteOptions {
  token?: string;
  requestId?: string;
  /** In addition. */
  headers?: Record<string, string>;
  /** The client's address, for a gateway with TRUST_PROXY=1. @default that of the connection */
  address?: string;
  /** Aborting it closes the client's connection. */
  signal?: AbortSignal;
}

export type FaultGateway = Awaited<ReturnType<typeof startFaultGateway>>;

export interface FaultGatewayOptions extends FaultServerOptions, InProcessGatewayOptions {
  /** Derives SERVICE_URL from the service's own URL. @default the same */
  serviceUrl?: (url: string) => string;
}

/** The gateway of a file or suite. Options that other hooks set up come from a function. */
export function useFaultGateway(
  options?: FaultGatewayOptions | (() => Promise<FaultGatewayOptions> | FaultGatewayOptions),
) {
  return useStarted(async () => startFaultGateway(typeof options === 'function' ? await options() : options));
}

/** Limits on documents that the tests do not reach. */
const UNREACHED_LIMITS = { maxAliases: 1000, maxDirectives: 1000, maxMutationFields: 100, maxTokens: 20_000 };

export async function startFaultGateway({
  env,
  config,
  usesMockService,
  readsBack,
  serviceUrl = (url) => url,
  ...serverOptions
}: FaultGatewayOptions = {}) {
  const service = await startFaultServer(serverOptions);
  const gateway = await startInProcessGateway(service, {
    env: { SERVICE_URL: serviceUrl(service.url), ...env },
    config: {
      ...config,
      graphql: { ...UNREACHED_LIMITS, ...config?.graphql },
    },
    usesMockService,
    readsBack,
  });
  const { origin, pathname } = new URL(gateway.url);
  const clients = new Pool(origin, { connections: 512 });

  const execute = async (
    operation: Operation,
    { token = TOKEN, requestId, headers: others, address, signal }: ExecuteOptions = {},
  ) => {
    const { statusCode, headers, body } = await clients.request({
      path: pathname,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        ...(requestId !== undefined && { 'x-request-id': requestId }),
        ...(address !== undefined && { 'x-forwarded-for': address }),
        ...others,
      },
      body: JSON.stringify(operation),
      ...(signal && { signal }),
    });
    const text = await body.text();
    const { data, errors } = JSON.parse(text) as { data: unknown; errors: unknown };
    return { status: statusCode, headers, text, data, errors };
  };

  return {
    ...gateway,
    service,
    execute,
    /** The data and the errors of a response, without what else it has. */
    async result(...call: Parameters<typeof execute>) {
      const { data, errors } = await execute(...call);
      return { data, errors };
    },
    /** Sends reads that succeed, which close the circuit and save retries: by default, as many as there can be. */
    async prime(count = 150) {
      const plan = service.plan;
      service.plan = () => undefined;
      const notificationGuids = Array.from({ length: 25 }, (_, index) => `prime-${index}`);
      const reads = asVariables('notificationsByGuid', { notificationGuids });
      let succeeded = 0;
      for (let round = 0; round < 200 && succeeded < count; round += 1) {
        const { data } = await execute(reads);
        const { notificationsByGuid } = data as { notificationsByGuid: unknown[] };
        const found = notificationsByGuid.filter((each) => each !== null).length;
        succeeded += found;
        // On a busy machine, short deadlines may have passed and opened the circuit.
        if (found < notificationGuids.length) await sleep(100);
      }
      if (succeeded < count) throw new Error(`Expected ${count} reads to succeed, got ${succeeded}`);
      service.plan = plan;
    },
    /** Stops gateway and service; fails if one of the REST calls violated the contract. */
    async stop() {
      await clients.destroy();
      await gateway.stop();
      assertContract(service.requests);
    },
  };
}
