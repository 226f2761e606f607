/**
 * What each variable means, for the JSON Schema of the configuration. docs/configuration.md has the same texts, with links; a
 * test compares them.
 */
import type { variables } from './variables.js';

type VariableName = keyof typeof variables;

export const descriptions: Readonly<Record<VariableName, string>> = {
  NODE_ENV:
    '`production` disables introspection, Sandbox, explorer and "did you mean" hints; requires `SERVICE_URL`',
  HOST: 'address to listen on',
  PORT: 'port to listen on; 0 picks a free port',

  SERVICE_URL: 'base URL of the REST service (may include a path); required if `NODE_ENV` is `production`',
  SHIPMENT_SERVICE_URL: 'base URL for the tracking and exception calls',
  FORWARD_TOKEN_TO_SHIPMENT_SERVICE:
    "also forward the client's token to a `SHIPMENT_SERVICE_URL` on a different origin",
  NOTIFICATIONS_PATH: 'path to create and list notifications',
  NOTIFICATION_PATH:
    'path of a notification; without the placeholder, the identifier is sent in the body (GET: query string)',
  TRACKING_PATH: 'path of the tracking call',
  EXCEPTION_PATH: 'path of the exception call',
  TRACKING_PARAMETERS_IN: 'where the tracking call has its parameters: JSON body or query string',
  EXCEPTION_PARAMETERS_IN: 'where the exception call has its parameters: JSON body or query string',
  LICENSE_PLATE_PARAMETER: "the service's name for the license-plate parameter",
  SHIPMENT_PARAMETERS:
    'fixed parameters sent with every tracking and exception call; clients cannot override them, and their values are secrets',
  SUBGRAPH_TOKEN:
    'secret that, sent as `x-subgraph-token`, enables the subgraph fields in production; two while one replaces the other',
  SCHEMA_PREFIX: 'prefix of the names of all types, such as `Freight_`',

  SERVICE_TIMEOUT_MS: 'total timeout of a REST call, including queueing, retries and backoff',
  READ_BACK_TIMEOUT_MS:
    'timeout of the read after a write of unknown outcome, on top of `SERVICE_TIMEOUT_MS`; `0` turns these reads off',
  SERVICE_RETRIES: 'maximum retries per REST call',
  SERVICE_CONNECTIONS: 'maximum connections, and so concurrent REST calls, per service origin',
  SERVICE_QUEUE_LIMIT:
    'maximum REST calls queued for a connection, divided among clients; further calls fail immediately',
  SERVICE_CONNECTION_AGE_MS:
    'age, ±10 %, from which a connection to the service is replaced after its call; `0` for no limit',
  SERVICE_CIRCUIT_OPEN_MS: 'how long the circuit breaker stays open',
  MAX_RESPONSE_BYTES: 'maximum response size, before and after decompression',
  MAX_RESULT_BYTES: 'maximum result of one operation in bytes of JSON text',
  MAX_BYTES_IN_FLIGHT: 'memory budget of the process: large responses and results in flight, together',

  MAX_BODY_BYTES: 'maximum request body; larger ones get 413',
  MAX_TOKENS: 'maximum lexical tokens, and maximum lines, per document',
  MAX_DEPTH: 'maximum query depth',
  MAX_ALIASES: 'maximum aliases per operation',
  MAX_DIRECTIVES: 'maximum directives per operation',
  MAX_MUTATION_FIELDS: 'maximum root fields per mutation',
  MAX_REST_CALLS:
    'maximum REST calls per operation; reads make one per distinct identifier, an update counts as three, a deletion with `ifLastUpdateDate` as two',
  MAX_ENTITIES:
    'maximum notifications that an operation with `SUBGRAPH_TOKEN` reads, in place of `MAX_REST_CALLS`; each one beyond fails alone',
  OPERATIONS_MANIFEST:
    'path to a persisted-query manifest (Apollo Client or Relay format); all other operations are rejected',
  APQ_CACHE_BYTES: 'cache size of automatic persisted queries (APQ); 0 disables APQ',
  CORS_ORIGINS: 'allowed CORS origins, comma-separated',
  RATE_LIMIT: 'requests per window of seconds, per bearer token, or per IP address without a valid one',
  RATE_LIMIT_PER_ADDRESS:
    'requests per window of seconds, per IP address, whatever tokens it sends; may be set without `RATE_LIMIT`',
  REDIS_URL: 'Redis for idempotency keys, and for rate-limit counters that processes share',
  IDEMPOTENCY_STORE: 'where idempotency keys are stored (Redis, memory); `off` rejects them',
  IDEMPOTENCY_RETENTION_MS: 'how long a key is stored, from its first use',
  TRUST_PROXY:
    'number of trusted proxies in front, whose `X-Forwarded-For` counts; or their addresses and networks, such as `10.0.0.0/8,fd00::/8`',

  MAX_CONNECTIONS: 'maximum open client connections per process',
  MAX_CONNECTION_AGE_MS:
    'age, ±10 %, from which a client connection is closed with a response; `0` for no limit',
  MAX_INCOMING_BODIES:
    'maximum request bodies per process that are still arriving; beyond it, a slow one or one from the address with the most is rejected, else the new one (503)',
  MAX_INCOMING_BODIES_PER_ADDRESS:
    'maximum request bodies per IP address that take longer than a second to arrive; the slowest get 429 and `Retry-After`',
  MIN_BODY_BYTES_PER_SECOND:
    'minimum mean rate of a body that takes longer than 5 s, or 1 s at `MAX_INCOMING_BODIES`; slower ones get 408',
  MAX_IN_FLIGHT_REQUESTS:
    'maximum requests in flight per process, from their complete bodies on; further ones get 503 and `Retry-After`',
  MAX_EVENT_LOOP_DELAY_MS: 'event-loop delay above which requests get 503 and `Retry-After`',
  HEADERS_TIMEOUT_MS: 'timeout for receiving the request headers',
  REQUEST_TIMEOUT_MS: 'timeout for receiving the whole request',
  RESPONSE_TIMEOUT_MS: 'how long a client may stop reading its response before its connection is reset',
  KEEP_ALIVE_TIMEOUT_MS: "keep-alive timeout; must exceed your load balancer's idle timeout",
  DRAIN_DELAY_MS: 'delay after SIGTERM while load balancers deregister the replica',
  SHUTDOWN_GRACE_MS: 'grace period for in-flight requests after `DRAIN_DELAY_MS`',

  EXPLORER: 'enables Sandbox (`/graphql`), the explorer (`/explorer`) and introspection',
  EXPOSE_REST_CALLS: 'lets clients see the REST calls of their operations (x-gateway-trace)',
  LOG_LEVEL: 'lowest level that is logged',
  LOG_SAMPLE: 'share of the successful requests that are logged, such as `0.1`; all others always are',
  METRICS_PORT: 'port of the Prometheus metrics, on `HOST`',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'base URL of an OpenTelemetry collector for traces (OTLP over HTTP)',
  OTEL_EXPORTER_OTLP_HEADERS:
    'additional headers of each export, separated by commas, with percent-encoded values; secret',
  OTEL_SDK_DISABLED: 'turns the export of traces off, whatever the other variables say',
};

/** Defaults that depend on something else. Other variables without a default are unset. */
export const derivedDefaults: Readonly<Partial<Record<VariableName, string>>> = {
  SERVICE_URL: 'the mock service',
  SHIPMENT_SERVICE_URL: '`SERVICE_URL`',
  CORS_ORIGINS: 'none in production, else Apollo Sandbox and localhost',
  RATE_LIMIT_PER_ADDRESS: 'ten times `RATE_LIMIT`',
  IDEMPOTENCY_STORE: '`redis` with `REDIS_URL`, else `off` in production, else `memory`',
  EXPLORER: '`false` in production, else `true`',
  EXPOSE_REST_CALLS: '`false` in production, else `true`',
};
