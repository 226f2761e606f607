/** The environment variables, one entry each (docs/configuration.md says what they mean); the files that have their values; `--check-config`. */
import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { readTextFile } from '../domain/files.js';
import { shipmentPaths, type ShipmentCall } from '../freight/operations.js';
import { phoneFormats } from '../freight/vocabulary.js';
import * as value from './valueSchemas.js';

export interface Variable {
  /** Parses the value, and has the default unless that depends on something else. */
  schema: z.ZodType<unknown, string | undefined>;
  /** A value of a variable without a default, for .env.example. */
  example?: string;
  secret?: true;
  /** Whether its name in lower case counts as well, and first. @default false */
  isLowerCaseToo?: true;
}

const proxy = {
  schema: value.ProxyUrl.optional(),
  example: 'http://proxy.example.com:3128',
  secret: true,
  isLowerCaseToo: true,
} as const;

export const variables = {
  NODE_ENV: {
    // Any other word would mean development, whoever wrote `prod`: with the mock service, introspection and REST calls in the open.
    schema: value.enumOf('production', 'development', 'test').default('development'),
  },
  HOST: { schema: z.string().default('127.0.0.1') },
  PORT: { schema: value.integer(0, 65_535).default(4000) },
  SERVICE_URL: { schema: value.ServiceUrl.optional(), example: 'https://freight.example.com' },
  SHIPMENT_SERVICE_URL: { schema: value.ServiceUrl.optional(), example: 'https://shipments.example.com' },
  FORWARD_TOKEN_TO_SHIPMENT_SERVICE: { schema: value.BooleanString.optional(), example: 'true' },
  NOTIFICATIONS_PATH: { schema: value.Path.default('/v1/customnotifications') },
  NOTIFICATION_PATH: {
    schema: value.PathTemplate.optional(),
    example: '/v1/customnotifications/{notificationGuid}',
  },
  NOTIFICATION_GUID_IN_BODY: { schema: value.BooleanString.default(true) },
  ...pathsOfShipmentCalls(),
  STOP_LEVEL_RECIPIENT_TYPE: { schema: value.StopLevelSpelling.default('stopLevel') },
  DRIVER_PHONE_FORMAT: { schema: value.enumOf(...phoneFormats).default('e164') },
  LICENSE_PLATE_PARAMETER: { schema: value.ParameterName.default('PortalLicensePlate') },
  SHIPMENT_PARAMETERS: { schema: value.JsonObjectString.default({}), secret: true },
  CLIENT_KEYS_FILE: { schema: value.ClientKeysFile.optional(), example: 'client-keys' },
  CLIENT_JWKS_URL: {
    schema: value.JwksUrl.optional(),
    example: 'https://issuer.example.com/.well-known/jwks.json',
  },
  CLIENT_JWT_ISSUER: { schema: z.string().optional(), example: 'https://issuer.example.com/' },
  CLIENT_JWT_AUDIENCE: { schema: z.string().optional(), example: 'shipment-gateway' },
  ANONYMOUS_CLIENTS: { schema: value.enumOf('allow', 'reject').optional(), example: 'reject' },
  SUBGRAPH_TOKEN: { schema: value.Secrets.optional(), example: 'replace-me-with-a-secret', secret: true },
  SCHEMA_PREFIX: { schema: value.TypePrefix.optional(), example: 'Freight_' },
  SERVICE_TIMEOUT_MS: { schema: value.integer(1, 600_000).default(10_000) },
  SERVICE_CONNECTIONS: { schema: value.integer(1, 10_000).default(128) },
  HTTPS_PROXY: proxy,
  HTTP_PROXY: proxy,
  NO_PROXY: {
    schema: value.NoProxy.optional(),
    example: 'localhost,127.0.0.1,.cluster.local',
    isLowerCaseToo: true,
  },
  SERVICE_HEADERS: { schema: value.Headers.default({}), secret: true },
  SERVICE_CLIENT_CERT: { schema: value.Certificate.optional() },
  SERVICE_CLIENT_KEY: { schema: value.PrivateKey.optional(), secret: true },
  OPERATIONS_MANIFEST: { schema: value.Manifest.optional(), example: 'manifest.json' },
  CORS_ORIGINS: { schema: value.Origins.optional(), example: 'https://app.example.com' },
  RATE_LIMIT: { schema: value.RateLimit.optional(), example: '600/60s' },
  REDIS_URL: { schema: value.RedisUrl.optional(), example: 'redis://localhost:6379', secret: true },
  REDIS_REPLICAS: { schema: value.integer(0, 10).default(0) },
  IDEMPOTENCY_STORE: { schema: value.enumOf('redis', 'memory', 'off').optional(), example: 'redis' },
  TRUST_PROXY: { schema: value.Proxies.default(0) },
  DRAIN_DELAY_MS: { schema: value.integer(0, 600_000).default(1000) },
  EXPLORER: { schema: value.BooleanString.optional(), example: 'true' },
  LOG_LEVEL: {
    schema: value.enumOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default('info'),
  },
  METRICS_PORT: { schema: value.integer(0, 65_535).optional(), example: '9464' },
  OTEL_EXPORTER_OTLP_ENDPOINT: { schema: value.HttpUrl.optional(), example: 'http://localhost:4318' },
} as const satisfies Readonly<Record<string, Variable>>;

function pathsOfShipmentCalls() {
  const schemaOf = (path: string) => ({ schema: value.ShipmentPath.default(path) });
  const entries = Object.entries(shipmentPaths).map(([call, path]) => [`${call}_PATH`, schemaOf(path)]);
  return Object.fromEntries(entries) as Record<`${ShipmentCall}_PATH`, ReturnType<typeof schemaOf>>;
}

export type VariableName = keyof typeof variables;

export const variableNames = Object.keys(variables) as VariableName[];

/** The entry of a variable, for code that treats all of them alike. */
export function variableOf(name: VariableName): Variable {
  return variables[name];
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of a variable as the environment has it; undefined if it is empty, which counts as unset. */
export function rawValueOf(name: VariableName, environment: Environment) {
  const lowerCase = variableOf(name).isLowerCaseToo ? environment[name.toLowerCase()] : undefined;
  return lowerCase || environment[name] || undefined;
}

// Values that the environment has in files, such as mounted secrets: `REDIS_URL_FILE` names the file of `REDIS_URL`.

/** Their values are paths already: OPERATIONS_MANIFEST_FILE would be mistaken for the manifest itself. */
const WITHOUT_FILE: readonly VariableName[] = ['OPERATIONS_MANIFEST', 'CLIENT_KEYS_FILE'];

/** For each variable that names a file, the variable whose value the file has. */
export const fileVariables: ReadonlyMap<string, VariableName> = new Map(
  variableNames.filter((name) => !WITHOUT_FILE.includes(name)).map((name) => [`${name}_FILE`, name]),
);

/** Reads each file once. Messages have neither the content of a file nor what could be a secret given in place of a path. */
export function readVariableFiles(environment: Environment) {
  const values: Record<string, string> = {};
  /** For each variable whose value is from a file, the path of the file. */
  const files = new Map<string, string>();
  const problems: string[] = [];
  const read = (fileVariable: string, use: (path: string) => void) => {
    const path = environment[fileVariable] ?? '';
    if (path === '') return;
    try {
      use(path);
    } catch (error) {
      problems.push(`${fileVariable}: ${(error as Error).message}`);
    }
  };
  for (const [fileVariable, variable] of fileVariables) {
    read(fileVariable, (path) => {
      if (rawValueOf(variable, environment) !== undefined)
        throw new Error(`expected either ${variable} or ${fileVariable}, got both`);
      values[variable] = readValue(path);
      files.set(variable, path);
    });
  }
  read('OPERATIONS_MANIFEST_FILE', () => {
    throw new Error('expected OPERATIONS_MANIFEST, which is the path of a file itself');
  });
  // Node.js itself reads this file, and ignores one that it cannot use: each call over https would fail.
  read('NODE_EXTRA_CA_CERTS', (path) => {
    const text = readTextFile(path);
    value.readPem('CERTIFICATE', 'certificate', () => new X509Certificate(text));
  });
  return { environment: { ...environment, ...values }, files, problems };
}

/** The environment, with the values from files; and these files and their problems. */
export type GivenVariables = ReturnType<typeof readVariableFiles>;
export type VariableFiles = Omit<GivenVariables, 'environment'>;

/** A text without the line end that editors add. */
export function readValue(path: string): string {
  const value = readTextFile(path).replace(/\r?\n$/, '');
  if (value === '') throw new Error('expected a file with a value, got an empty one');
  return value;
}

// The values that are in effect, for `--check-config`.

const HIDDEN = '[hidden]';

/** Every variable with its value, or its default, as JSON with a line for each. Secrets are hidden. */
export function formatConfig(
  values: Readonly<Record<VariableName, unknown>>,
  { environment, files }: GivenVariables,
): string {
  const lines = variableNames.map((name) => {
    const text = rawValueOf(name, environment);
    const file = files.get(name);
    const shown =
      text === undefined
        ? { value: defaultOf(name, values) ?? null, source: 'default' }
        : { value: givenValue(name, values[name], text), source: file ? 'file' : 'environment', file };
    return `  ${JSON.stringify(name)}: ${JSON.stringify(shown)}`;
  });
  return `{\n${lines.join(',\n')}\n}\n`;
}

function givenValue(name: VariableName, value: unknown, text: string): unknown {
  // REDIS_URL may name several Sentinels.
  const url = value instanceof URL ? value.href : name === 'REDIS_URL' && text;
  // Credentials may be in front of the host, with an @ in the password, or in the query.
  if (url) return url.replace(/:\/\/[^/?#]*@/, `://${HIDDEN}@`).replace(/[?#].*/, `?${HIDDEN}`);
  if (variableOf(name).secret) return HIDDEN;
  return typeof value === 'object' ? text : value;
}

function defaultOf(name: VariableName, values: Readonly<Record<VariableName, unknown>>): unknown {
  if (name === 'SHIPMENT_SERVICE_URL') return values.SERVICE_URL;
  const value = values[name];
  if (Array.isArray(value)) return value.join(',') || undefined;
  return typeof value === 'object' ? JSON.stringify(value) : value;
}
