/**
 * Sends REST calls with every policy: deduplication, deadline, retries, circuit breaker, queue, cancellation. Calls to
 * the same origin share connections, queue, circuit breaker and retry budget.
 */
import { stringifyObject } from '../domain/json.js';
import { ErrorCode } from '../errors.js';
import type { Telemetry } from '../telemetry/events.js';
import { elapsedMs } from '../telemetry/requestSummary.js';
import type { AttemptSpan, Call, CallScope } from './calls.js';
import { createCircuitBreaker } from './circuitBreaker.js';
import { createConnectionPool, type Connection } from './connectionPool.js';
import { createConnector, proxyFor, type ProxySettings } from './connector.js';
import { deduplicate } from './deduplication.js';
import { exchange, type ExchangeOptions } from './exchange.js';
import { describeViolation, foreignMediaType, reasonOfConnection, safeErrorReason } from './descriptions.js';
import {
  decodeBody,
  errorFromResponse,
  isEncoded,
  isSuccess,
  jsonOf,
  readContent,
  wholeText,
  type Content,
  type JsonResponse,
  type RestResponse,
} from './response.js';
import { createQueue, type QueueLoad } from './queue.js';
import { createRetryBudget, withRetries } from './retry.js';
import { errorTypeOf, GatewayError } from '../gatewayError.js';

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

export interface TransportLoad extends QueueLoad {
  origin: string;
  isCircuitOpen: boolean;
}

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
    onChange(state, failure) {
      telemetry.circuitChanged({ origin, state, ...describeFailure(failure) });
    },
  });

  /** Until the origin has responded, a lost connection may mean a wrong URL: HTTP that is sent to a TLS port gets no response. */
  let hasResponded = false;

  /** Adds the service's messages from a body that was read. */
  const withMessages = (error: GatewayError, call: Call, { response, content }: Received): GatewayError => {
    if (error.serviceMessages !== undefined || content === undefined || response === undefined) return error;
    return error.with({ serviceMessages: call.messagesOf(content, response.status) });
  };

  const reportViolation = (error: GatewayError, call: Call, response: RestResponse | undefined) => {
    const { method, route, client } = call;
    const problem = describeViolation(error, call, response);
    telemetry.contractViolated({ ...client.ids, method, origin, route, problem });
  };

  /** A body that is JSON is read, whatever its media type. */
  const reportForeignMediaType = (response: RestResponse, { method, route, client }: Call) => {
    const problem = foreignMediaType(response);
    if (problem === undefined || response.body.length === 0) return;
    telemetry.contractDeviated({ ...client.ids, method, origin, route, problem });
  };

  /** Reports the failure of an attempt, and returns it with the service's messages. */
  const reportFailure = (error: unknown, call: Call, attempt: Received): unknown => {
    const { method, client } = call;
    if (isConnectionFailure(error, hasResponded))
      telemetry.connectionFailed({
        ...client.ids,
        method,
        origin,
        proxy: proxy?.origin,
        reason: reasonOfConnection(error, call),
      });
    if (!isContractViolation(error)) return error;
    reportViolation(error, call, attempt.response);
    return withMessages(error, call, attempt);
  };

  const begin = (call: Call, connection: Connection, number: number): OpenAttempt => {
    const startedAt = performance.now();
    const span = call.observer.start({ call, number });
    return { connection, startedAt, span, response: undefined, content: undefined };
  };
  const end = ({ connection, startedAt, span, response }: OpenAttempt, error: unknown) => {
    queue.release(connection);
    const result = { status: response?.status, durationMs: elapsedMs(startedAt) };
    if (error === undefined) span.end(result);
    else {
      const reason = response ? foreignMediaType(response) : safeErrorReason(error);
      span.end({ ...result, error: errorTypeOf(error), reason });
    }
  };

  /** Sends a call on a connection, and reads its response. */
  const sendOn = async <Result>(
    connection: Connection,
    call: Call<Result>,
    number: number,
    options: ExchangeOptions,
  ): Promise<Result> => {
    const { method, path } = call;
    const attempt = begin(call, connection, number);
    try {
      const headers = attempt.span.headers ? { ...call.headers, ...attempt.span.headers } : call.headers;
      const body = call.body === undefined ? null : stringifyObject(call.body);
      const response = await exchange(connection, { method, path, headers, body }, options);
      attempt.response = response;
      hasResponded = true;
      call.inspect?.(response);
      if (!isSuccess(response)) throw await errorFromResponse(response, call.messagesOf, options);
      const decoded = isEncoded(response) ? await decodeBody(response, options) : response.body;
      let violation: GatewayError | undefined;
      const readable: JsonResponse = {
        status: response.status,
        headers: response.headers,
        sentAt: attempt.startedAt,
        content: () => wholeText((attempt.content ??= readContent(response, decoded)), response),
        json: () => jsonOf((attempt.content ??= readContent(response, decoded)), response),
        reportViolation: (error) => (violation = withMessages(error, call, attempt)),
      };
      const result = call.read(readable);

      end(attempt, violation);
      if (violation === undefined) reportForeignMediaType(response, call);
      else reportViolation(violation, call, response);
      return result;
    } catch (error) {
      end(attempt, error);
      throw reportFailure(error, call, attempt);
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
      onWaited: (durationMs: number) => telemetry.waited({ resource: 'connection', durationMs }),
      onDetached: () => telemetry.restCallCancelled({ ...client.ids, method, result: 'detached' }),
      onFailure(error: unknown) {
        options.avoidStale = true; // a read that lost its connection would likely lose the next idle one, too
        if (error instanceof GatewayError && error.meaning.isShed)
          telemetry.restCallShed({ ...client.ids, method, route });
      },
    };
    let attempts = 0;
    const run = (connection: Connection) => {
      attempts += 1;
      return sendOn(connection, call, attempts, options);
    };
    const sendInTurn = () => {
      const connection = queue.take(options);
      return connection instanceof Promise ? connection.then(run) : run(connection);
    };
    return withRetries(options, circuit.guarded(sendInTurn));
  };

  return {
    /** On cancellation a GET is aborted at any point; other methods only before the first byte is sent. */
    send: deduplicate(send, telemetry),
    load: (): TransportLoad => ({ origin, ...queue.load(), isCircuitOpen: circuit.isOpen() }),
    stop: () => connections.close(),
  };
}

/** An attempt that has its connection. */
interface OpenAttempt {
  readonly connection: Connection;
  readonly startedAt: number;
  readonly span: AttemptSpan;
  /** The response, once it was received, and its content, once that was read. */
  response: RestResponse | undefined;
  content: Content | undefined;
}

type Received = Pick<OpenAttempt, 'content' | 'response'>;

function isConnectionFailure(error: unknown, hasResponded: boolean): boolean {
  if (!(error instanceof GatewayError)) return false;
  const { failure } = error;
  return (
    failure === 'unreachable' || failure === 'invalidHttp' || (failure === 'connectionLost' && !hasResponded)
  );
}

function isContractViolation(error: unknown): error is GatewayError {
  return error instanceof GatewayError && error.meaning.code === ErrorCode.ServiceResponseInvalid;
}

function describeFailure(failure: Error | undefined) {
  return failure && { failure: failure.name, reason: safeErrorReason(failure) };
}
