/** The gateway's environment variables with their schemas and defaults. */
import { z } from 'zod';
import {
  BooleanString,
  expected,
  integer,
  JsonObjectString,
  Manifest,
  Origins,
  ParameterLocation,
  ParameterName,
  Path,
  PathTemplate,
  RateLimit,
  Secret,
  ServiceUrl,
  urlWithProtocol,
} from './variableSchemas.js';

export const variables = {
  NODE_ENV: z.string().default('development'),
  HOST: z.string().default('127.0.0.1'),
  PORT: integer(0, 65_535).default(4000),
  WEB_CONCURRENCY: integer(1, 256).default(1),

  SERVICE_URL: ServiceUrl.optional(),
  SHIPMENT_SERVICE_URL: ServiceUrl.optional(),
  FORWARD_TOKEN_TO_SHIPMENT_SERVICE: BooleanString.default(false),
  NOTIFICATIONS_PATH: Path.default('/v1/customnotifications'),
  NOTIFICATION_PATH: PathTemplate.default('/v1/customnotifications/{notificationGuid}'),
  TRACKING_PATH: Path.default('/atlas/frexapi/shipment/track/'),
  EXCEPTION_PATH: Path.default('/atlas/frexapi/shipment/exception'),
  TRACKING_PARAMETERS_IN: ParameterLocation.default('body'),
  EXCEPTION_PARAMETERS_IN: ParameterLocation.default('body'),
  LICENSE_PLATE_PARAMETER: ParameterName.default('PortalLicensePlate'),
  SHIPMENT_PARAMETERS: JsonObjectString.default({}),
  SUBGRAPH_TOKEN: Secret.optional(),

  SERVICE_TIMEOUT_MS: integer(1, 600_000).default(10_000),
  SERVICE_RETRIES: integer(0, 10).default(2),
  SERVICE_CONNECTIONS: integer(1, 10_000).default(128),
  SERVICE_QUEUE_LIMIT: integer(0, 100_000).default(256),
  SERVICE_CIRCUIT_OPEN_MS: integer(1, 600_000).default(5000),
  MAX_RESPONSE_BYTES: integer(1, 1_073_741_824).default(10_485_760),

  MAX_BODY_BYTES: integer(1, 104_857_600).default(262_144),
  MAX_TOKENS: integer(1, 1_000_000).default(1000),
  MAX_DEPTH: integer(1, 1000).default(10),
  MAX_ALIASES: integer(0, 10_000).default(50),
  MAX_DIRECTIVES: integer(0, 10_000).default(50),
  MAX_MUTATION_FIELDS: integer(1, 10_000).default(10),
  MAX_REST_CALLS: integer(1, 10_000).default(50),
  OPERATIONS_MANIFEST: Manifest.optional(),
  APQ_CACHE_BYTES: integer(0, 1_073_741_824).default(0),
  CORS_ORIGINS: Origins.optional(),
  RATE_LIMIT: RateLimit.optional(),
  REDIS_URL: urlWithProtocol('redis:', 'rediss:').optional(),
  TRUST_PROXY: integer(0, 10).default(0),

  MAX_CONNECTIONS: integer(1, 1_000_000).default(10_000),
  MAX_IN_FLIGHT_REQUESTS: integer(1, 1_000_000).default(1000),
  MAX_EVENT_LOOP_DELAY_MS: integer(1, 60_000).default(1000),
  HEADERS_TIMEOUT_MS: integer(1, 600_000).default(10_000),
  REQUEST_TIMEOUT_MS: integer(1, 600_000).default(30_000),
  KEEP_ALIVE_TIMEOUT_MS: integer(1, 600_000).default(72_000),
  DRAIN_DELAY_MS: integer(0, 600_000).default(1000),
  SHUTDOWN_GRACE_MS: integer(0, 600_000).default(15_000),

  EXPLORER: BooleanString.optional(),
  EXPOSE_REST_CALLS: BooleanString.optional(),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: expected('trace, debug, info, warn, error, fatal or silent'),
    })
    .default('info'),
  METRICS_PORT: integer(0, 65_535).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: urlWithProtocol('http:', 'https:').optional(),
  OTEL_SERVICE_NAME: z.string().default('shipment-graphql-gateway'),
};
