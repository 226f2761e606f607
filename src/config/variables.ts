/** The gateway's environment variables with their schemas and defaults. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseOperationManifest } from '../graphql/operationManifest.js';
import { hasGuidPlaceholder, pathTemplateProblem } from '../domain/pathTemplate.js';

const ServiceUrl = z.string().transform((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBaseUrl =
    url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
  if (url && isBaseUrl) return url;
  // The value is not in the message because it may contain credentials.
  context.addIssue({
    code: 'custom',
    message: 'expected an http or https URL without credentials, query or fragment',
  });
  return z.NEVER;
});

const PathTemplate = z.string().superRefine((template, context) => {
  const problem = pathTemplateProblem(template);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});
const Path = PathTemplate.refine((path) => !hasGuidPlaceholder(path), {
  error: expected('a path without a placeholder'),
});

const BooleanString = z
  .enum(['true', 'false'], { error: expected('true or false') })
  .transform((text) => text === 'true');
const ParameterLocation = z.enum(['body', 'query'], { error: expected('body or query') });
const ParameterName = z
  .string()
  .regex(/^\w+$/, { error: expected('a name of letters, digits and underscores') });

const JsonObjectString = z.string().transform((text, context): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // The parser's message would quote secrets in the value.
  }
  context.addIssue({ code: 'custom', message: 'expected a JSON object' });
  return z.NEVER;
});

// The value is not in the message because it is a secret.
const Secret = z
  .string()
  .regex(/^[\x21-\x7e]{16,}$/, { error: 'expected at least 16 visible ASCII characters' });

const Origins = z.string().transform((text, context) => {
  const origins = text.split(',').map((part) => part.trim());
  const invalid = origins.filter((origin) => !URL.canParse(origin) || new URL(origin).origin !== origin);
  if (invalid.length === 0) return origins;
  context.addIssue({
    code: 'custom',
    message: `expected origins such as https://app.example.com, separated by commas, got ${JSON.stringify(invalid[0])}`,
  });
  return z.NEVER;
});

const RateLimit = z
  .string()
  .regex(/^[1-9]\d{0,8}\/[1-9]\d{0,4}s$/, { error: expected('a rate such as 600/60s') })
  .transform((text) => {
    const [requests = 0, seconds = 0] = text.match(/\d+/g)?.map(Number) ?? [];
    return { requests, windowMs: seconds * 1000 };
  });

const Manifest = z.string().transform((file, context) => {
  try {
    return parseOperationManifest(readFileSync(file, 'utf8'));
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});

function urlWithProtocol(...protocols: string[]) {
  return z.string().transform((text, context) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url && protocols.includes(url.protocol)) return url;
    // The value is not in the message because it may contain a password.
    context.addIssue({
      code: 'custom',
      message: `expected a URL that starts with ${protocols.map((each) => `${each}//`).join(' or ')}`,
    });
    return z.NEVER;
  });
}

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

function integer(min: number, max: number) {
  const error = expected(`an integer from ${min} to ${max}`);
  return z
    .string()
    .regex(/^\d{1,15}$/, { error })
    .transform(Number)
    .refine((number) => number >= min && number <= max, { error });
}

function expected(expectation: string) {
  return ({ input }: { input?: unknown }): string => `expected ${expectation}, got ${JSON.stringify(input)}`;
}
