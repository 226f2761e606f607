/**
 * The gateway's environment variables, one entry each: what a value may be, and what it means. config.ts says who gets it.
 */
import { z } from 'zod';
import { shipmentPaths, type ShipmentCall } from '../freight/operations.js';
import { phoneFormats } from '../freight/vocabulary.js';
import * as value from './valueSchemas.js';

export interface Variable {
  /** Parses the value, and has the default unless that depends on something else. */
  schema: z.ZodType<unknown, string | undefined>;
  /** Describes the variable. docs/configuration.md has the same text, with links; a test compares them. */
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
    // Any other word would mean development, whoever wrote `prod`: with the mock service, introspection and REST calls in the open.
    schema: value.enumOf('production', 'development', 'test').default('development'),
    text: '`production` disables introspection, Sandbox, explorer and "did you mean" hints; requires `SERVICE_URL`, and `REDIS_URL` or `IDEMPOTENCY_STORE`',
  },
  HOST: {
    schema: z.string().default('127.0.0.1'),
    text: 'address to listen on',
  },
  PORT: {
    schema: value.integer(0, 65_535).default(4000),
    text: 'port to listen on; 0 picks a free port',
  },
  SERVICE_URL: {
    schema: value.ServiceUrl.optional(),
    text: 'base URL of the REST service (may include a path); required if `NODE_ENV` is `production`',
    example: 'https://freight.example.com',
    derivedDefault: 'the mock service',
  },
  SHIPMENT_SERVICE_URL: {
    schema: value.ServiceUrl.optional(),
    text: 'base URL for the tracking and exception calls',
    example: 'https://shipments.example.com',
    derivedDefault: '`SERVICE_URL`',
  },
  FORWARD_TOKEN_TO_SHIPMENT_SERVICE: {
    schema: value.BooleanString.optional(),
    text: "whether the tracking and exception calls carry the client's token",
    example: 'true',
    derivedDefault: '`true` if `SHIPMENT_SERVICE_URL` has the origin of `SERVICE_URL`, else `false`',
  },
  NOTIFICATIONS_PATH: {
    schema: value.Path.default('/v1/customnotifications'),
    text: 'path to create and list notifications',
  },
  NOTIFICATION_PATH: {
    schema: value.PathTemplate.optional(),
    text: 'path of a notification, with a query if it has one (`/notices?id={notificationGuid}`); without the placeholder, the identifier is sent in the body (GET: query string)',
    example: '/v1/customnotifications/{notificationGuid}',
    derivedDefault: '`NOTIFICATIONS_PATH` + `/{notificationGuid}`',
  },
  NOTIFICATION_GUID_IN_BODY: {
    schema: value.BooleanString.default(true),
    text: 'whether the body of an update repeats the identifier of the path, as controllers of ASP.NET expect; `false` for a service that rejects unknown fields',
  },
  ...ofShipmentCalls('PATH', (call, path) => ({
    schema: value.Path.default(path),
    text: `path of the ${call} call`,
  })),
  ...ofShipmentCalls('PARAMETERS_IN', (call) => ({
    schema: value.enumOf('body', 'query').default('body'),
    text: `where the ${call} call carries its parameters: JSON body or query string`,
  })),
  STOP_LEVEL_RECIPIENT_TYPE: {
    schema: value.StopLevelSpelling.default('stopLevel'),
    text: 'what is sent as recipient type of stop level: `stopLevel` in the letter case that the service expects',
  },
  DRIVER_PHONE_FORMAT: {
    schema: value.enumOf(...phoneFormats).default('e164'),
    text: "format of the driver's phone number in the tracking call: `+13035550100`, `13035550100`, or any text as the client sent it",
  },
  LICENSE_PLATE_PARAMETER: {
    schema: value.ParameterName.default('PortalLicensePlate'),
    text: "the service's name for the license-plate parameter",
  },
  SHIPMENT_PARAMETERS: {
    schema: value.JsonObjectString.default({}),
    text: 'fixed parameters sent with every tracking and exception call; clients cannot override them, and their values are secrets',
    secret: true,
  },
  CLIENT_KEYS_FILE: {
    schema: value.ClientKeysFile.optional(),
    text: 'path to the keys of clients, sent as `X-Client-Key`: a line for each, with the name of the client and the SHA-256 of the key; read again when it changes',
    example: 'client-keys',
  },
  CLIENT_JWKS_URL: {
    schema: value.JwksUrl.optional(),
    text: 'URL of the key set (JWKS) that verifies the JWTs of clients, sent in `Authorization` or `X-Client-Authorization`',
    example: 'https://issuer.example.com/.well-known/jwks.json',
  },
  CLIENT_JWT_ISSUER: {
    schema: z.string().optional(),
    text: 'the issuer (`iss`) of these JWTs; required with `CLIENT_JWKS_URL`',
    example: 'https://issuer.example.com/',
  },
  CLIENT_JWT_AUDIENCE: {
    schema: z.string().optional(),
    text: 'the audience (`aud`) of these JWTs; required with `CLIENT_JWKS_URL`',
    example: 'shipment-gateway',
  },
  ANONYMOUS_CLIENTS: {
    schema: value.enumOf('allow', 'reject').optional(),
    text: 'whether clients without a credential may use the fixed secrets; required in production with fixed secrets, unless there are `CLIENT_KEYS_FILE`, `CLIENT_JWKS_URL` or `SUBGRAPH_TOKEN`',
    example: 'reject',
    derivedDefault:
      '`allow` outside production without `CLIENT_KEYS_FILE` and `CLIENT_JWKS_URL`, else `reject`',
  },
  SUBGRAPH_TOKEN: {
    schema: value.Secrets.optional(),
    text: 'secret that, sent as `x-subgraph-token`, enables the subgraph fields in production; two while one replaces the other',
    example: 'replace-me-with-a-secret',
    secret: true,
  },
  SCHEMA_PREFIX: {
    schema: value.TypePrefix.optional(),
    text: 'prefix of the names of all types, such as `Freight_`',
    example: 'Freight_',
  },
  SERVICE_TIMEOUT_MS: {
    schema: value.integer(1, 600_000).default(10_000),
    text: 'total timeout of a REST call, including queueing, retries and backoff',
  },
  SERVICE_CONNECTIONS: {
    schema: value.integer(1, 10_000).default(128),
    text: 'maximum connections, and so concurrent REST calls, per service origin',
  },
  HTTPS_PROXY: {
    schema: value.ProxyUrl.optional(),
    text: 'proxy for calls to the service, the issuer of JWTs and the trace collector over https, with user and password if it needs them',
    example: 'http://proxy.example.com:3128',
    secret: true,
    isLowerCaseToo: true,
  },
  HTTP_PROXY: {
    schema: value.ProxyUrl.optional(),
    text: 'proxy for these calls over http',
    example: 'http://proxy.example.com:3128',
    secret: true,
    isLowerCaseToo: true,
  },
  NO_PROXY: {
    schema: value.NoProxy.optional(),
    text: 'hosts that are called without a proxy: names, which stand for their subdomains, too, `host:port`, IP addresses, networks, `*`; separated by commas or spaces',
    example: 'localhost,127.0.0.1,.cluster.local',
    isLowerCaseToo: true,
  },
  SERVICE_HEADERS: {
    schema: value.Headers.default({}),
    text: 'fixed headers of every call to the service; clients cannot override them, and their values are secrets',
    secret: true,
  },
  SERVICE_CLIENT_CERT: {
    schema: value.Certificate.optional(),
    text: 'certificate (PEM) that the gateway presents to the service over https; usually `SERVICE_CLIENT_CERT_FILE`',
  },
  SERVICE_CLIENT_KEY: {
    schema: value.PrivateKey.optional(),
    text: 'private key (PEM) of this certificate, without a passphrase; usually `SERVICE_CLIENT_KEY_FILE`',
    secret: true,
  },
  OPERATIONS_MANIFEST: {
    schema: value.Manifest.optional(),
    text: 'path to a persisted-query manifest (Apollo Client or Relay format); all other operations are rejected',
    example: 'manifest.json',
  },
  CORS_ORIGINS: {
    schema: value.Origins.optional(),
    text: 'allowed CORS origins, comma-separated; `https://*.example.com` stands for all subdomains, but not for the domain itself',
    example: 'https://app.example.com',
    derivedDefault: 'none in production, else Apollo Sandbox and localhost',
  },
  RATE_LIMIT: {
    schema: value.RateLimit.optional(),
    text: 'requests per window of seconds, per known client, or else per IP address',
    example: '600/60s',
  },
  REDIS_URL: {
    schema: value.RedisUrl.optional(),
    text: 'Redis for idempotency keys, and for rate-limit counters that processes share: the endpoint of a primary, or `redis+sentinel://host:26379,host2:26379/name`; with TLS `rediss`',
    example: 'redis://localhost:6379',
    secret: true,
  },
  REDIS_REPLICAS: {
    schema: value.integer(0, 10).default(0),
    text: 'how many replicas must have an idempotency key before its write is sent: all that a failover may promote',
  },
  IDEMPOTENCY_STORE: {
    schema: value.enumOf('redis', 'memory', 'off').optional(),
    text: 'where idempotency keys are stored (Redis, memory); `off` rejects them; required if `NODE_ENV` is `production` without `REDIS_URL`',
    example: 'redis',
    derivedDefault: '`redis` with `REDIS_URL`, else `memory`',
  },
  TRUST_PROXY: {
    schema: value.Proxies.default(0),
    text: 'number of trusted proxies in front, whose `X-Forwarded-For` counts; or their addresses and networks, such as `10.0.0.0/8,fd00::/8`',
  },
  DRAIN_DELAY_MS: {
    schema: value.integer(0, 600_000).default(1000),
    text: 'delay after SIGTERM while load balancers deregister the replica',
  },
  EXPLORER: {
    schema: value.BooleanString.optional(),
    text: 'enables Sandbox (`/graphql`), the explorer (`/explorer`), introspection and traces of REST calls',
    example: 'true',
    derivedDefault: '`false` in production, else `true`',
  },
  LOG_LEVEL: {
    schema: value.enumOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default('info'),
    text: 'lowest level that is logged',
  },
  METRICS_PORT: {
    schema: value.integer(0, 65_535).optional(),
    text: 'port of the Prometheus metrics and of health checks, on `HOST`',
    example: '9464',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: value.HttpUrl.optional(),
    text: 'base URL of an OpenTelemetry collector for traces (OTLP over HTTP)',
    example: 'http://localhost:4318',
  },
} as const satisfies Readonly<Record<string, Variable>>;

/** A variable of each call on shipments. */
function ofShipmentCalls<Suffix extends string, Each extends Variable>(
  suffix: Suffix,
  create: (name: string, path: string) => Each,
) {
  const entries = Object.entries(shipmentPaths).map(([call, path]) => [
    `${call}_${suffix}`,
    create(call.toLowerCase(), path),
  ]);
  return Object.fromEntries(entries) as Readonly<Record<`${ShipmentCall}_${Suffix}`, Each>>;
}

export type VariableName = keyof typeof variables;

export const variableNames = Object.keys(variables) as VariableName[];

/** The entry of a variable, for code that treats all of them alike. */
export function variableOf(name: VariableName): Variable {
  return variables[name];
}

/** The value of a variable as the environment has it; undefined if it is empty, which counts as unset. */
export function rawValueOf(name: VariableName, environment: Readonly<Record<string, string | undefined>>) {
  const lowerCase = variableOf(name).isLowerCaseToo ? environment[name.toLowerCase()] : undefined;
  return lowerCase || environment[name] || undefined;
}
