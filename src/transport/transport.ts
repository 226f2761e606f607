/** Sends REST calls: deduplication, retries, circuit breaker, queue, cancellation. Each origin has its own connections and retry budget. */
import { stringifyObject } from '../domain/json.js';
import { ErrorCode } from '../errors.js';
import type { Telemetry } from '../telemetry/events.js';
import { elapsedMs } from '../telemetry/requestSummary.js';
import type { Call, CallScope } from './calls.js';
import { createCircuitBreaker } from './circuitBreaker.js';
import { createConnectionPool } from './connectionPool.js';
import { createConnector, proxyFor, type ProxySettings } from './connector.js';
import { deduplicate } from './deduplication.js';
import { exchange, type ExchangeOptions } from './exchange.js';
import {
  describeViolation,
  foreignMediaType,
  isMoved,
  reasonOfConnection,
  safeErrorReason,
} from './descriptions.js';
import { codingOf, type RestResponse } from './response.js';
import { createQueue, type SlotRequest } from './queue.js';
import { createRetryBudget, withRetries } from './retry.js';
import { GatewayError } from '../gatewayError.js';

export interface TransportOptions extends ProxySettings {
  /** Timeout of a whole call in milliseconds: queueing, connecting, sending, the response, retries and backoff. */
  timeoutMs: number;
  retries: number;
  /** Maximum connections to an origin, and so maximum calls in flight. */
  maxConnections: number;
  /** Age from which a connection is replaced, in milliseconds. */
  maxConnectionAgeMs: number;
  /** Maximum calls that wait for a connection to an origin. */
  queueLimit: number;
  circuitOpenMs: number;
  /** Both PEM, presented to https origins. @default none */
  clientCertificate?: string | undefined;
  clientKey?: string | undefined;
  /** Maximum size of a response body in bytes, compressed and decompressed. */
  maxResponseBytes: number;
  telemetry: Telemetry;
}

export type Transport = ReturnType<typeof createTransport>;

export type TransportLoad = ReturnType<Transport['load']>;

export function createTransports(options: TransportOptions) {
  const transports = new Map<string, Transport>();
  return {
    to({ origin }: URL): Transport {
      const existing = transports.get(origin);
      if (existing) return existing;
      const transport = createTransport(origin, options);
      transports.set(origin, transport);
      return transport;
    },
    load: () => [...transports.values()].map((transport) => transport.load()),
    /** Waits for the calls in flight. */
    async stop(): Promise<void> {
      await Promise.all([...transports.values()].map((transport) => transport.stop()));
    },
  };
}

/**
 * Share of the timeout within which a service that is up accepts connections. A call that waited longer for its turn does not
 * count against the circuit breaker if it finds no time to connect: one client's slow calls can make many wait that long.
 */
const CONNECT_TIME_SHARE = 1 / 2;

function createTransport(origin: string, options: TransportOptions) {
  const { timeoutMs, retries, maxConnections, queueLimit } = options;
  const { circuitOpenMs, maxConnectionAgeMs, maxResponseBytes, telemetry } = options;
  const { clientCertificate: cert, clientKey: key } = options;
  const tls = cert !== undefined && key !== undefined ? { cert, key } : undefined;
  const proxy = proxyFor(new URL(origin), options);
  const budget = createRetryBudget();
  const connections = createConnectionPool({
    origin,
    limit: maxConnections,
    connector: createConnector({ timeoutMs, proxy, tls }),
    maxAgeMs: maxConnectionAgeMs,
    onFree: () => queue.drain(),
  });
  const queue = createQueue({ pool: connections, limit: maxConnections, queueLimit });
  const circuit = createCircuitBreaker({
    openDurationMs: circuitOpenMs,
    onChange(failure) {
      if (failure === undefined) telemetry.circuitClosed({ origin });
      else telemetry.circuitOpened({ origin, failure: failure.name, reason: safeErrorReason(failure) });
    },
  });

  /** Until the origin has responded, a lost connection may mean a wrong URL: HTTP that is sent to a TLS port gets no response. */
  let hasResponded = false;

  const report = (
    event: 'contractDeviated' | 'contractViolated',
    { method, route, client }: Call,
    problem: string,
  ) => telemetry[event]({ ...client.ids, method, origin, route, problem });

  /** Reports the failure of an attempt, and returns it with the service's messages. */
  const reportFailure = (error: unknown, call: Call, response: RestResponse | undefined): unknown => {
    if (!(error instanceof GatewayError)) return error;
    const { failure, meaning } = error;
    const { method, client } = call;
    const isUnconnected = failure === 'unreachable' || (failure === 'connectionLost' && !hasResponded);
    if (isUnconnected || failure === 'invalidHttp')
      telemetry.connectionFailed({
        ...client.ids,
        method,
        origin,
        proxy: proxy?.origin,
        reason: reasonOfConnection(error, call),
      });
    if (meaning.code !== ErrorCode.ServiceResponseInvalid) return error;
    report('contractViolated', call, describeViolation(error, call, response));
    return response?.withMessages(error) ?? error;
  };

  /** Sends a call when it gets a connection, and reads its response. */
  const attempt = async <Result>(
    call: Call<Result>,
    number: number,
    options: ExchangeOptions & SlotRequest,
  ): Promise<Result> => {
    const { method, path } = call;
    const taken = queue.take(options);
    const connection = taken instanceof Promise ? await taken : taken; // an await would delay the call
    const startedAt = performance.now();
    const span = call.client.observer.start(call, number);
    let response: RestResponse | undefined;
    const end = (error: unknown) => {
      queue.release(connection);
      const result = { status: response?.status, durationMs: elapsedMs(startedAt) };
      if (error === undefined) span.end(result);
      else {
        const errorType = error instanceof GatewayError ? error.meaning.errorType : undefined;
        const reason = response ? foreignMediaType(response) : safeErrorReason(error);
        span.end({ ...result, error: errorType ?? 'Error', reason });
      }
    };
    try {
      const headers = span.headers ? { ...call.headers, ...span.headers } : call.headers;
      const body = call.body === undefined ? null : stringifyObject(call.body);
      response = await exchange(connection, { method, path, headers, body }, options);
      hasResponded = true;
      call.inspect?.(response);
      const { status } = response;
      if (status >= 300)
        throw isMoved(response, call)
          ? new GatewayError('requestRedirected', { status })
          : await response.error();
      if (codingOf(response) !== undefined) await response.decode();
      const result = call.read(response);
      options.memory.add(response.bytes);
      const { violation } = response;
      end(violation);
      if (violation) report('contractViolated', call, describeViolation(violation, call, response));
      else if (response.bytes > 0) {
        const problem = foreignMediaType(response); // a body that is JSON is read, whatever its media type
        if (problem !== undefined) report('contractDeviated', call, problem);
      }
      return result;
    } catch (error) {
      end(error);
      throw reportFailure(error, call, response);
    }
  };

  const send = <Result>(call: Call<Result>, { cancellation, memory }: CallScope): Promise<Result> => {
    const { method, route, client, deadline = performance.now() + timeoutMs } = call;
    const isRead = method === 'GET';
    const options = {
      client,
      isRead,
      avoidStale: !isRead, // it cannot be repeated
      deadline,
      cancellation,
      retries,
      budget,
      minConnectTimeMs: timeoutMs * CONNECT_TIME_SHARE,
      maxResponseBytes,
      memory,
      messagesOf: call.messagesOf,
      onWaited: (durationMs: number) => telemetry.waited({ resource: 'connection', durationMs }),
      onDetached: () => telemetry.restCallCancelled({ ...client.ids, method, result: 'detached' }),
      onFailure(error: unknown) {
        options.avoidStale = true; // a read that lost its connection would likely lose the next idle one, too
        if (error instanceof GatewayError && error.meaning.circuit === 'shed')
          telemetry.restCallShed({ ...client.ids, method, route });
      },
    };
    let attempts = 0;
    return withRetries(
      options,
      circuit.guarded(() => attempt(call, (attempts += 1), options)),
    );
  };

  return {
    /** On cancellation a GET is aborted at any point; other methods only before the first byte is sent. */
    send: deduplicate(send),
    load: () => ({ origin, ...queue.load(), isCircuitOpen: circuit.isOpen() }),
    stop: () => connections.close(),
  };
}
