/**
 * The gateway's environment variables, one entry each: what a value may be, where the configuration has it, and what it means.
 * A forgotten part does not compile.
 */
import { z } from 'zod';
import * as value from './valueSchemas.js';

/** The consumers of the configuration: each gets its own part. */
export type Group = 'process' | 'probe' | 'http' | 'graphql' | 'subgraph' | 'service' | 'telemetry';

export interface Variable {
  /** With the default, unless that depends on something else. */
  schema: z.ZodType<unknown, string | undefined>;
  /** Where the configuration has the value. */
  to: readonly ('SERVICE_URL' | `${Group}.${string}`)[];
  /** The meaning. docs/configuration.md has the same text, with links; a test compares them. */
  text: string;
  /** A value of a variable without a default, for .env.example and tools. */
  example?: string;
  /** The default in words if it depends on something else. Other variables without a default are unset. */
  derivedDefault?: string;
  secret?: true;
  /** Whether its name in lower case counts as well, and first. @default false */
  isLowerCaseToo?: true;
}

export const variables = {
  NODE_ENV: {
    schema: value.NodeEnv.default('development'),
    to: ['process.nodeEnv'],
    text: '`production` disables introspection, Sandbox, explorer and "did you mean" hints; requires `SERVICE_URL`, and `REDIS_URL` or `IDEMPOTENCY_STORE`',
  },
  HOST: {
    schema: z.string().default('127.0.0.1'),
    to: ['process.host', 'telemetry.host'],
    text: 'address to listen on',
  },
  PORT: {
    schema: value.integer(0, 65_535).default(4000),
    to: ['process.port'],
    text: 'port to listen on; 0 picks a free port',
  },
  SERVICE_URL: {
    schema: value.ServiceUrl.optional(),
    to: ['SERVICE_URL'],
    text: 'base URL of the REST service (may include a path); required if `NODE_ENV` is `production`',
    example: 'https://freight.example.com',
    derivedDefault: 'the mock service',
  },
  SHIPMENT_SERVICE_URL: {
    schema: value.ServiceUrl.optional(),
    to: ['service.shipmentServiceUrl'],
    text: 'base URL for the tracking and exception calls',
    example: 'https://shipments.example.com',
    derivedDefault: '`SERVICE_URL`',
  },
  FORWARD_TOKEN_TO_SHIPMENT_SERVICE: {
    schema: value.BooleanString.optional(),
    to: ['service.forwardTokenToShipmentService'],
    text: "whether the tracking and exception calls carry the client's token",
    example: 'true',
    derivedDefault: '`true` if `SHIPMENT_SERVICE_URL` has the origin of `SERVICE_URL`, else `false`',
  },
  NOTIFICATIONS_PATH: {
    schema: value.Path.default('/v1/customnotifications'),
    to: ['service.notificationsPath'],
    text: 'path to create and list notifications',
  },
  NOTIFICATION_PATH: {
    schema: value.PathTemplate.optional(),
    to: ['service.notificationPath'],
    text: 'path of a notification, with a query if it has one (`/notices?id={notificationGuid}`); without the placeholder, the identifier is sent in the body (GET: query string)',
    example: '/v1/customnotifications/{notificationGuid}',
    derivedDefault: '`NOTIFICATIONS_PATH` + `/{notificationGuid}`',
  },
  NOTIFICATION_GUID_IN_BODY: {
    schema: value.BooleanString.default(true),
    to: ['service.notificationGuidInBody'],
    text: 'whether the body of an update repeats the identifier of the path, as controllers of ASP.NET expect; `false` for a service that rejects what it does not know',
  },
  TRACKING_PATH: {
    schema: value.Path.default('/atlas/frexapi/shipment/track/'),
    to: ['service.trackingPath'],
    text: 'path of the tracking call',
  },
  EXCEPTION_PATH: {
    schema: value.Path.default('/atlas/frexapi/shipment/exception'),
    to: ['service.exceptionPath'],
    text: 'path of the exception call',
  },
  TRACKING_PARAMETERS_IN: {
    schema: value.ParameterLocation.default('body'),
    to: ['service.trackingParametersIn'],
    text: 'where the tracking call carries its parameters: JSON body or query string',
  },
  EXCEPTION_PARAMETERS_IN: {
    schema: value.ParameterLocation.default('body'),
    to: ['service.exceptionParametersIn'],
    text: 'where the exception call carries its parameters: JSON body or query string',
  },
  STOP_LEVEL_RECIPIENT_TYPE: {
    schema: value.StopLevelSpelling.default('stopLevel'),
    to: ['service.stopLevelRecipientType'],
    text: 'what is sent as recipient type of stop level: `stopLevel` in the letter case that the service expects',
  },
  DRIVER_PHONE_FORMAT: {
    schema: value.PhoneFormat.default('e164'),
    to: ['service.driverPhoneFormat'],
    text: "format of the driver's phone number in the tracking call: `+13035550100`, `13035550100`, or any text as the client sent it",
  },
  LICENSE_PLATE_PARAMETER: {
    schema: value.ParameterName.default('PortalLicensePlate'),
    to: ['service.licensePlateParameter'],
    text: "the service's name for the license-plate parameter",
  },
  SHIPMENT_PARAMETERS: {
    schema: value.JsonObjectString.default({}),
    to: ['service.shipmentParameters'],
    text: 'fixed parameters sent with every tracking and exception call; clients cannot override them, and their values are secrets',
    secret: true,
  },
  CLIENT_KEYS_FILE: {
    schema: value.ClientKeysFile.optional(),
    to: ['http.clientKeysFile'],
    text: 'path to the keys of clients, sent as `X-Client-Key`: a line for each, with the name of the client and the SHA-256 of the key; read again when it changes',
    example: 'client-keys',
  },
  CLIENT_JWKS_URL: {
    schema: value.JwksUrl.optional(),
    to: ['http.clientJwksUrl'],
    text: 'URL of the key set (JWKS) that verifies the JWTs of clients, sent in `Authorization` or `X-Client-Authorization`',
    example: 'https://issuer.example.com/.well-known/jwks.json',
  },
  CLIENT_JWT_ISSUER: {
    schema: z.string().optional(),
    to: ['http.clientJwtIssuer'],
    text: 'the issuer (`iss`) of these JWTs; required with `CLIENT_JWKS_URL`',
    example: 'https://issuer.example.com/',
  },
  CLIENT_JWT_AUDIENCE: {
    schema: z.string().optional(),
    to: ['http.clientJwtAudience'],
    text: 'the audience (`aud`) of these JWTs; required with `CLIENT_JWKS_URL`',
    example: 'shipment-gateway',
  },
  ANONYMOUS_CLIENTS: {
    schema: value.AnonymousClients.optional(),
    to: ['http.anonymousClients'],
    text: 'whether clients without a credential may use the fixed secrets; required in production with `SHIPMENT_PARAMETERS`, unless there are `CLIENT_KEYS_FILE`, `CLIENT_JWKS_URL` or `SUBGRAPH_TOKEN`',
    example: 'reject',
    derivedDefault:
      '`allow` outside production without `CLIENT_KEYS_FILE` and `CLIENT_JWKS_URL`, else `reject`',
  },
  SUBGRAPH_TOKEN: {
    schema: value.Secrets.optional(),
    to: ['subgraph.tokens'],
    text: 'secret that, sent as `x-subgraph-token`, enables the subgraph fields in production; two while one replaces the other',
    example: 'replace-me-with-a-secret',
    secret: true,
  },
  SCHEMA_PREFIX: {
    schema: value.TypePrefix.optional(),
    to: ['http.schemaPrefix', 'graphql.schemaPrefix'],
    text: 'prefix of the names of all types, such as `Freight_`',
    example: 'Freight_',
  },
  SERVICE_TIMEOUT_MS: {
    schema: value.integer(1, 600_000).default(10_000),
    to: ['service.timeoutMs'],
    text: 'total timeout of a REST call, including queueing, retries and backoff',
  },
  SERVICE_RETRIES: {
    schema: value.integer(0, 10).default(2),
    to: ['service.retries'],
    text: 'maximum retries per REST call',
  },
  SERVICE_CONNECTIONS: {
    schema: value.integer(1, 10_000).default(128),
    to: ['service.maxConnections'],
    text: 'maximum connections, and so concurrent REST calls, per service origin',
  },
  HTTPS_PROXY: {
    schema: value.ProxyUrl.optional(),
    to: ['service.httpsProxy'],
    text: 'proxy for calls to the service over https, with user and password if it needs them',
    example: 'http://proxy.example.com:3128',
    secret: true,
    isLowerCaseToo: true,
  },
  HTTP_PROXY: {
    schema: value.ProxyUrl.optional(),
    to: ['service.httpProxy'],
    text: 'proxy for calls to the service over http',
    example: 'http://proxy.example.com:3128',
    secret: true,
    isLowerCaseToo: true,
  },
  NO_PROXY: {
    schema: z.string().optional(),
    to: ['service.noProxy'],
    text: 'hosts that are called without a proxy: names, which stand for their subdomains, too, `host:port`, IP addresses, `*`; separated by commas or spaces',
    example: 'localhost,127.0.0.1,.cluster.local',
    isLowerCaseToo: true,
  },
  SERVICE_HEADERS: {
    schema: value.Headers.default({}),
    to: ['service.serviceHeaders'],
    text: 'fixed headers of every call to the service; clients cannot override them, and their values are secrets',
    secret: true,
  },
  SERVICE_CLIENT_CERT: {
    schema: value.Certificate.optional(),
    to: ['service.clientCertificate'],
    text: 'certificate (PEM) that the gateway presents to the service over https; usually `SERVICE_CLIENT_CERT_FILE`',
  },
  SERVICE_CLIENT_KEY: {
    schema: value.PrivateKey.optional(),
    to: ['service.clientKey'],
    text: 'private key (PEM) of this certificate, without a passphrase; usually `SERVICE_CLIENT_KEY_FILE`',
    secret: true,
  },
  MAX_BODY_BYTES: {
    schema: value.integer(1, 104_857_600).default(262_144),
    to: ['http.maxBodyBytes', 'graphql.maxBodyBytes'],
    text: 'maximum request body; larger ones get 413',
  },
  MAX_TOKENS: {
    schema: value.integer(1, 1_000_000).default(1000),
    to: ['graphql.maxTokens'],
    text: 'maximum lexical tokens, and maximum lines, per document',
  },
  MAX_ALIASES: {
    schema: value.integer(0, 10_000).default(50),
    to: ['graphql.maxAliases'],
    text: 'maximum aliases per operation',
  },
  MAX_MUTATION_FIELDS: {
    schema: value.integer(1, 10_000).default(10),
    to: ['graphql.maxMutationFields'],
    text: 'maximum root fields per mutation; some routers send each alone',
  },
  BULK_TIMEOUT_MS: {
    schema: value.integer(1, 600_000).default(30_000),
    to: ['graphql.bulkTimeoutMs'],
    text: "time from the start of an operation's first bulk field until no further items are sent",
  },
  MAX_REST_CALLS: {
    schema: value.integer(1, 10_000).default(100),
    to: ['graphql.maxRestCalls'],
    text: 'maximum REST calls per operation: one per distinct identifier read, three per update, two per deletion with `ifLastUpdateDate`; ten times as many reads with `SUBGRAPH_TOKEN`',
  },
  OPERATIONS_MANIFEST: {
    schema: value.Manifest.optional(),
    to: ['graphql.manifest'],
    text: 'path to a persisted-query manifest (Apollo Client or Relay format); all other operations are rejected',
    example: 'manifest.json',
  },
  CORS_ORIGINS: {
    schema: value.Origins.optional(),
    to: ['http.corsOrigins'],
    text: 'allowed CORS origins, comma-separated; `https://*.example.com` stands for all subdomains, but not for the domain itself',
    example: 'https://app.example.com',
    derivedDefault: 'none in production, else Apollo Sandbox and localhost',
  },
  RATE_LIMIT: {
    schema: value.RateLimit.optional(),
    to: ['http.rate'],
    text: 'requests per window of seconds, per known client, or else per IP address',
    example: '600/60s',
  },
  REDIS_URL: {
    schema: value.RedisUrl.optional(),
    to: ['http.redisUrl', 'service.redisUrl'],
    text: 'Redis for idempotency keys, and for rate-limit counters that processes share: the endpoint of a primary, or `redis+sentinel://host:26379,host2:26379/name`; with TLS `rediss`',
    example: 'redis://localhost:6379',
    secret: true,
  },
  REDIS_REPLICAS: {
    schema: value.integer(0, 10).default(0),
    to: ['service.redisReplicas'],
    text: 'how many replicas must have an idempotency key before its write is sent: all that a failover may promote',
  },
  IDEMPOTENCY_STORE: {
    schema: value.IdempotencyStore.optional(),
    to: ['service.idempotencyStore'],
    text: 'where idempotency keys are stored (Redis, memory); `off` rejects them; required if `NODE_ENV` is `production` without `REDIS_URL`',
    example: 'redis',
    derivedDefault: '`redis` with `REDIS_URL`, else `memory`',
  },
  TRUST_PROXY: {
    schema: value.Proxies.default(0),
    to: ['http.trustedProxies'],
    text: 'number of trusted proxies in front, whose `X-Forwarded-For` counts; or their addresses and networks, such as `10.0.0.0/8,fd00::/8`',
  },
  MAX_IN_FLIGHT_REQUESTS: {
    schema: value.integer(1, 1_000_000).default(1000),
    to: ['http.maxInFlightRequests'],
    text: 'maximum requests in flight per process, half of them of one client; one with a large body counts once per 16 KiB; further ones get 503 and `Retry-After`',
  },
  DRAIN_DELAY_MS: {
    schema: value.integer(0, 600_000).default(1000),
    to: ['process.drainDelayMs'],
    text: 'delay after SIGTERM while load balancers deregister the replica',
  },
  EXPLORER: {
    schema: value.BooleanString.optional(),
    to: ['http.explorerEnabled', 'graphql.explorerEnabled'],
    text: 'enables Sandbox (`/graphql`), the explorer (`/explorer`) and introspection',
    example: 'true',
    derivedDefault: '`false` in production, else `true`',
  },
  LOG_LEVEL: {
    schema: value.LogLevel.default('info'),
    to: ['process.logLevel'],
    text: 'lowest level that is logged',
  },
  METRICS_PORT: {
    schema: value.integer(0, 65_535).optional(),
    to: ['telemetry.metricsPort'],
    text: 'port of the Prometheus metrics and of health checks, on `HOST`',
    example: '9464',
  },
  PROBE_TOKEN: {
    schema: value.BearerToken.optional(),
    to: ['probe.token'],
    text: 'bearer token of `--probe`, for the service; the gateway itself never uses it',
    example: 'a-token-of-the-service',
    secret: true,
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: value.urlWithProtocol('http:', 'https:').optional(),
    to: ['telemetry.collectorUrl'],
    text: 'base URL of an OpenTelemetry collector for traces (OTLP over HTTP)',
    example: 'http://localhost:4318',
  },
} as const satisfies Readonly<Record<string, Variable>>;

export type VariableName = keyof typeof variables;

export const variableNames = Object.keys(variables) as VariableName[];

/** The entry of a variable, for code that treats all of them alike. */
export function variableOf(name: VariableName): Variable {
  return variables[name];
}

export const lowerCaseNames = variableNames
  .filter((name) => variableOf(name).isLowerCaseToo)
  .map((name) => name.toLowerCase());

/** The text that the environment has for a variable; undefined if that is empty, which counts as unset. */
export function textOf(name: VariableName, environment: Readonly<Record<string, string | undefined>>) {
  const lowerCase = variableOf(name).isLowerCaseToo ? environment[name.toLowerCase()] : undefined;
  return lowerCase || environment[name] || undefined;
}
