/** A gateway whose requests are observed from all sides: the client's, the service's and the operator's. */
import { Pool } from 'undici';
import { expect } from 'vitest';
import type { Fault } from '../../../src/mock/mockService.js';
import type { InProcessGatewayOptions } from '../gateway/inProcessGateway.js';
import { startGateway, TOKEN } from '../gateway/gateway.js';
import { until } from '../tools/waiting.js';

export interface ObservedRequest {
  /** Body of the request: parameters, or anything else; a string is sent as it is. */
  body: unknown;
  headers?: Record<string, string>;
  /** Null sends no Authorization header. @default TOKEN */
  token?: string | null;
  /** Faults of the REST calls, in their order. */
  faults?: readonly Fault[];
}

/** What the client, the service and an operator see, without times, ports and random values. */
export interface Observation {
  status: number;
  headers: Record<string, unknown>;
  body: string;
  calls: { method: string; headers: object }[];
  log: object[];
}

const REQUEST_ID = 'constant-request-id';

export async function startObservedGateway(options: InProcessGatewayOptions) {
  const gateway = await startGateway(options);
  const pool = new Pool(new URL(gateway.url).origin);

  let sent = 0;
  /** Waits for the log line of each request, which follows its response. */
  const settle = () =>
    until(() => gateway.logLines.filter(({ msg }) => msg === 'Request').length === sent, 1);
  const send = async ({ body, headers, token = TOKEN }: ObservedRequest) => {
    sent += 1;
    const response = await pool.request({
      path: '/graphql',
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-request-id': REQUEST_ID,
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.statusCode, headers: response.headers, text: await response.body.text() };
  };

  return {
    send,
    /** Has the gateway validate and cache a document without executing it; returns whether it is valid. */
    async warmUp(query: string | undefined): Promise<boolean> {
      const { text } = await send({ body: { query, operationName: 'no_such_operation' } });
      return text.includes('OPERATION_RESOLUTION_FAILURE');
    },
    async observe(request: ObservedRequest, faults: readonly Fault[]): Promise<Observation> {
      await settle();
      gateway.takeCalls();
      const begin = gateway.logLines.length;
      gateway.injectFaults(...faults);
      const { status, headers, text } = await send(request);
      await settle();
      const { date, 'content-length': length, ...others } = headers;
      expect([typeof date, Number(length)]).toEqual(['string', Buffer.byteLength(text)]);
      return {
        status,
        headers: others,
        body: text
          .replaceAll(gateway.serviceUrl, 'SERVICE')
          .replace(/"(durationMs|startMs)":[\d.]+/g, '"$1":0'),
        calls: gateway
          .takeCalls()
          .map((call) => ({ ...call, headers: without(call.headers, 'host', 'traceparent') })),
        log: gateway.logLines
          .slice(begin)
          .map((line) => without(line, 'time', 'pid', 'hostname', 'durationMs', 'origin')),
      };
    },
    async stop() {
      await pool.destroy();
      await gateway.stop();
    },
  };
}

/** The object without the named members. */
function without(value: object, ...names: string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}
