/** The real gateway in front of a service that misbehaves, both over HTTP on free ports. */
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { Pool } from 'undici';
import { vi } from 'vitest';
import { parseConfig } from '../../../src/config/config.js';
import { createGateway } from '../../../src/gateway.js';
import type { OperationText } from '../graphql/faultOperations.js';
import { startFaultServer, type FaultServer, type FaultServerOptions } from '../service/faultServer.js';
import { contractViolations } from '../service/openapi.js';

export const TOKEN = 'a-token.of~the_caller+/==';

export interface GatewayResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The body as it came. */
  text: string;
  data: unknown;
  errors: unknown;
  /** Time from sending the operation to having its answer, in milliseconds. */
  elapsedMs: number;
}

export interface ExecuteOptions {
  token?: string;
  requestId?: string;
  /** When it is aborted, the caller's connection closes. */
  signal?: AbortSignal;
}

export interface FaultGateway {
  readonly url: string;
  readonly service: FaultServer;
  execute(operation: OperationText, options?: ExecuteOptions): Promise<GatewayResponse>;
  /** The lines that the gateway logged, parsed. */
  readonly logLines: Record<string, unknown>[];
  /** Has 500 reads succeed, which fill the budget of retries and keep the circuit closed for a while. */
  prime(): Promise<void>;
  /** Fails when a request that reached the service broke the contract. */
  stop(): Promise<void>;
}

export interface FaultGatewayOptions extends FaultServerOptions {
  env?: Record<string, string>;
  /** Address under which the gateway knows the service, made from the one that it is at. */
  serviceUrl?: (url: string) => string;
}

export async function startFaultGateway({
  env = {},
  serviceUrl = (url) => url,
  ...serverOptions
}: FaultGatewayOptions = {}): Promise<FaultGateway> {
  const service = await startFaultServer(serverOptions);
  const logLines: Record<string, unknown>[] = [];
  const write = (line: string) => {
    logLines.push(JSON.parse(line) as Record<string, unknown>);
  };
  const { SERVICE_URL = new URL(service.url), ...config } = parseConfig({
    SERVICE_URL: serviceUrl(service.url),
    PORT: '0',
    NODE_ENV: 'production',
    DRAIN_DELAY_MS: '0',
    MAX_ALIASES: '1000',
    MAX_MUTATION_FIELDS: '100',
    MAX_TOKENS: '20000',
    MAX_REST_CALLS: '100',
    ...env,
  });
  const gateway = await createGateway({
    config: { ...config, SERVICE_URL },
    log: pino({ level: 'trace' }, { write }),
  });
  const url = await gateway.listen();
  const { origin, pathname } = new URL(url);
  const clients = new Pool(origin, { connections: 512 });

  const execute: FaultGateway['execute'] = async (operation, { token = TOKEN, requestId, signal } = {}) => {
    const sentAt = performance.now();
    const { statusCode, headers, body } = await clients.request({
      path: pathname,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        ...(requestId !== undefined && { 'x-request-id': requestId }),
      },
      body: JSON.stringify(operation),
      ...(signal && { signal }),
    });
    const text = await body.text();
    const elapsedMs = performance.now() - sentAt;
    const { data, errors } = JSON.parse(text) as Pick<GatewayResponse, 'data' | 'errors'>;
    return { status: statusCode, headers, text, data, errors, elapsedMs };
  };

  return {
    url,
    service,
    execute,
    logLines,
    async prime() {
      const plan = service.plan;
      service.plan = () => undefined;
      const subjects = Array.from({ length: 25 }, (_, index) => `prime-${index}`);
      const query =
        'query ($subjects: [ID!]!) { notificationsByGuid(notificationGuids: $subjects) { notificationGuid } }';
      let succeeded = 0;
      for (let round = 0; round < 200 && succeeded < 500; round += 1) {
        const { data } = await execute({ query, variables: { subjects } });
        const { notificationsByGuid } = data as { notificationsByGuid: unknown[] };
        const found = notificationsByGuid.filter((each) => each !== null).length;
        succeeded += found;
        // On a busy machine a short deadline may have passed, and the circuit have opened.
        if (found < subjects.length) await sleep(100);
      }
      if (succeeded < 500) throw new Error(`Expected 500 reads to succeed, ${succeeded} did`);
      service.plan = plan;
    },
    async stop() {
      await clients.destroy();
      await gateway.stop();
      await service.stop();
      const violations = service.requests.flatMap(contractViolations);
      if (violations.length > 0) throw new Error(`REST calls broke the contract:\n${violations.join('\n')}`);
    },
  };
}

/** Waits until a condition holds, for as long as a busy machine may take. */
export function until(condition: () => boolean): Promise<void> {
  return vi.waitUntil(condition, { timeout: 20_000, interval: 10 }).then(() => undefined);
}
