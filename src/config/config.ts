/** The configuration, parsed at startup from environment variables: reports every problem at once, and then warnings. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { z } from 'zod';
import { canonicalParameterName, fitsQuery, parameterNameProblem } from '../domain/parameters.js';
import { shipmentParameterNames } from '../freight/contract.js';
import { fixedSecretsIn, forShipmentCalls, shipmentPaths } from '../freight/operations.js';
import {
  type Environment,
  fileVariables,
  rawValueOf,
  type VariableFiles,
  type VariableName,
  variableOf,
  variableNames,
  type variables,
} from './variables.js';

export type Config = ReturnType<typeof toConfig>;

/** The value of each variable; undefined if it is unset and has no default. */
type Given = { [Name in VariableName]: z.output<(typeof variables)[Name]['schema']> };

/** Pages that may call a gateway in development: the hosted Apollo Sandbox, its embedded form, and those on this machine. */
const DEVELOPMENT_ORIGINS = [
  'https://studio.apollographql.com',
  'https://sandbox.embed.apollographql.com',
  /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/,
];

/** Thrown for an invalid environment; the message has a line per problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly string[]) {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    super(`Invalid configuration (${count}):\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/** Parses the environment; an empty variable counts as unset. Throws a ConfigError. */
export function parseConfig(environment: Environment, files?: VariableFiles): Config {
  return toConfig(parseValues(environment, files));
}

/** The value of each variable. With problems of files, which leave variables without their values, no conflicts are reported. */
export function parseValues(
  environment: Environment,
  { files, problems: fileProblems }: VariableFiles = { files: new Map(), problems: [] },
) {
  const results = variableNames.map((name) => ({
    name,
    ...variableOf(name).schema.safeParse(rawValueOf(name, environment)),
  }));
  const given = Object.fromEntries(results.map(({ name, data }) => [name, data])) as Given;
  const isSet = (name: VariableName) => rawValueOf(name, environment) !== undefined;
  const problems = [
    ...fileProblems,
    ...results.flatMap(({ name, error }) =>
      (error?.issues ?? []).map(({ message }) => `${name}: ${message}`),
    ),
    ...(fileProblems.length > 0 ? [] : findConflicts(given, isSet)),
  ];
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => withoutContent(problem, files)));
  return applyDerivedDefaults(given);
}

/** Names the file instead of quoting its content, which may be the secret of another variable. */
function withoutContent(problem: string, files: VariableFiles['files']): string {
  const path = files.get(problem.slice(0, problem.indexOf(':')));
  return path === undefined
    ? problem
    : problem.replace(/, got [^]*$/, () => `, got another value in ${path}`);
}

function applyDerivedDefaults(given: Given) {
  const isProduction = given.NODE_ENV === 'production';
  const identifiesClients = given.CLIENT_KEYS_FILE !== undefined || given.CLIENT_JWKS_URL !== undefined;
  return {
    ...given,
    ANONYMOUS_CLIENTS: given.ANONYMOUS_CLIENTS ?? (isProduction || identifiesClients ? 'reject' : 'allow'),
    CORS_ORIGINS: given.CORS_ORIGINS ?? (isProduction ? [] : DEVELOPMENT_ORIGINS),
    EXPLORER: given.EXPLORER ?? !isProduction,
    FORWARD_TOKEN_TO_SHIPMENT_SERVICE:
      given.FORWARD_TOKEN_TO_SHIPMENT_SERVICE ??
      (given.SHIPMENT_SERVICE_URL === undefined ||
        given.SHIPMENT_SERVICE_URL.origin === given.SERVICE_URL?.origin),
    // Memory sees every repeat of a key only if there is one process: production has to choose (`storeProblems`).
    IDEMPOTENCY_STORE: given.IDEMPOTENCY_STORE ?? (given.REDIS_URL ? 'redis' : 'memory'),
    NOTIFICATION_PATH:
      given.NOTIFICATION_PATH ?? `${given.NOTIFICATIONS_PATH.replace(/\/$/, '')}/{notificationGuid}`,
  };
}

/** docs/deployment.md shows what these two mean for the memory of the process. */
const MAX_IN_FLIGHT_REQUESTS = 1000;
const MAX_RESPONSE_BYTES = 10_000_000;
/** Maximum REST calls of an operation. A router reads a page of objects in one request: ten times as many. */
const MAX_REST_CALLS = 100;

/** What each part of the gateway gets: values of variables, what follows from them, and what no deployment has to choose. */
function toConfig(values: ReturnType<typeof parseValues>) {
  const isProduction = values.NODE_ENV === 'production';
  const timeoutMs = values.SERVICE_TIMEOUT_MS;
  const readBackTimeoutMs = Math.ceil(timeoutMs / 5);
  return {
    /** Undefined if the program is to start the mock of the service. */
    SERVICE_URL: values.SERVICE_URL,
    process: {
      isProduction,
      host: values.HOST,
      port: values.PORT,
      logLevel: values.LOG_LEVEL,
      drainDelayMs: values.DRAIN_DELAY_MS,
      // A write in flight can finish: one that is repeated with its key reads before and after it.
      shutdownGraceMs: timeoutMs + 2 * readBackTimeoutMs + 1000,
    },
    http: {
      clientKeysFile: values.CLIENT_KEYS_FILE,
      clientJwksUrl: values.CLIENT_JWKS_URL,
      clientJwtIssuer: values.CLIENT_JWT_ISSUER,
      clientJwtAudience: values.CLIENT_JWT_AUDIENCE,
      anonymousClients: values.ANONYMOUS_CLIENTS,
      corsOrigins: values.CORS_ORIGINS,
      rate: values.RATE_LIMIT,
      redisUrl: values.REDIS_URL,
      trustedProxies: values.TRUST_PROXY,
      schemaPrefix: values.SCHEMA_PREFIX ?? '',
      explorerEnabled: values.EXPLORER,
      maxBodyBytes: 262_144, // 500 loads to track take some 200 kB
      maxInFlightRequests: MAX_IN_FLIGHT_REQUESTS,
      maxConnections: MAX_IN_FLIGHT_REQUESTS * 10,
      maxLargeResponses: 3,
      keepAliveTimeoutMs: 72_000,
      maxEventLoopDelayMs: 1000,
      headersTimeoutMs: 10_000,
      requestTimeoutMs: 30_000,
      responseTimeoutMs: 30_000,
    },
    graphql: {
      isProduction,
      explorerEnabled: values.EXPLORER,
      schemaPrefix: values.SCHEMA_PREFIX ?? '',
      manifest: values.OPERATIONS_MANIFEST,
      maxTokens: 1000,
      maxAliases: 50,
      maxDirectives: 50,
      maxMutationFields: 10,
      maxRestCalls: MAX_REST_CALLS,
      maxBulkItems: 500,
      // An item that starts just before this still ends within the 60 s that proxies wait for a response.
      bulkTimeoutMs: 30_000,
      maxResultBytes: 2 * MAX_RESPONSE_BYTES,
    },
    subgraph: { tokens: values.SUBGRAPH_TOKEN, maxEntities: MAX_REST_CALLS * 10 },
    service: {
      shipmentServiceUrl: values.SHIPMENT_SERVICE_URL,
      forwardTokenToShipmentService: values.FORWARD_TOKEN_TO_SHIPMENT_SERVICE,
      notificationsPath: values.NOTIFICATIONS_PATH,
      notificationPath: values.NOTIFICATION_PATH,
      notificationGuidInBody: values.NOTIFICATION_GUID_IN_BODY,
      shipmentCalls: forShipmentCalls((call) => {
        const path = values[`${call}_PATH`];
        return { path: path.replace('?', ''), parametersIn: path.endsWith('?') ? 'query' : 'body' } as const;
      }),
      stopLevelRecipientType: values.STOP_LEVEL_RECIPIENT_TYPE,
      driverPhoneFormat: values.DRIVER_PHONE_FORMAT,
      licensePlateParameter: values.LICENSE_PLATE_PARAMETER,
      shipmentParameters: values.SHIPMENT_PARAMETERS,
      serviceHeaders: values.SERVICE_HEADERS,
      clientCertificate: values.SERVICE_CLIENT_CERT,
      clientKey: values.SERVICE_CLIENT_KEY,
      httpsProxy: values.HTTPS_PROXY,
      httpProxy: values.HTTP_PROXY,
      noProxy: values.NO_PROXY,
      timeoutMs,
      readBackTimeoutMs,
      retries: 2,
      maxConnections: values.SERVICE_CONNECTIONS,
      maxConnectionAgeMs: 300_000, // new addresses get their share
      queueLimit: values.SERVICE_CONNECTIONS * 2,
      listConcurrency: Math.ceil(values.SERVICE_CONNECTIONS / 4),
      circuitOpenMs: Math.ceil(timeoutMs / 2),
      maxResponseBytes: MAX_RESPONSE_BYTES,
    },
    idempotency: {
      kind: values.IDEMPOTENCY_STORE,
      redisUrl: values.REDIS_URL,
      replicas: values.REDIS_REPLICAS,
      retentionMs: 86_400_000, // as in src/client/intent.ts
      keysPerHour: 100_000,
    },
    telemetry: {
      host: values.HOST,
      metricsPort: values.METRICS_PORT,
      collectorUrl: values.OTEL_EXPORTER_OTLP_ENDPOINT,
      exposeCalls: values.EXPLORER,
    },
  };
}

/** Conflicts between variables. Those that are invalid themselves are undefined, and set. */
function* findConflicts(given: Partial<Given>, isSet: (name: VariableName) => boolean): Generator<string> {
  const isProduction = given.NODE_ENV === 'production';
  if (isProduction && !isSet('SERVICE_URL')) yield 'SERVICE_URL: required when NODE_ENV is production';
  // Variables that are of no use without each other.
  for (const [one, other] of [
    ['CLIENT_JWKS_URL', 'CLIENT_JWT_ISSUER'],
    ['CLIENT_JWKS_URL', 'CLIENT_JWT_AUDIENCE'],
    ['SERVICE_CLIENT_CERT', 'SERVICE_CLIENT_KEY'],
  ] as const) {
    if (isSet(one) === isSet(other)) continue;
    yield isSet(one) ? `${other}: required with ${one}` : `${one}: required with ${other}`;
  }
  const { SHIPMENT_PARAMETERS: shipmentParameters = {}, SERVICE_HEADERS: serviceHeaders = {} } = given;
  const { SERVICE_CLIENT_CERT: certificate, SERVICE_CLIENT_KEY: clientKey } = given;
  const secrets = fixedSecretsIn({ shipmentParameters, serviceHeaders, clientKey });
  // They require that the gateway identifies clients, or that the operator allows anonymous ones.
  const ways = ['CLIENT_KEYS_FILE', 'CLIENT_JWKS_URL', 'SUBGRAPH_TOKEN', 'ANONYMOUS_CLIENTS'] as const;
  if (isProduction && secrets.length > 0 && !ways.some(isSet))
    yield `${secrets.join(', ')}: expected CLIENT_KEYS_FILE, CLIENT_JWKS_URL or SUBGRAPH_TOKEN when NODE_ENV is production, to know who uses these secrets, or else ANONYMOUS_CLIENTS=allow, for everybody who reaches the port`;
  yield* storeConflicts(given, isSet);
  if (
    certificate &&
    clientKey &&
    !new X509Certificate(certificate).checkPrivateKey(createPrivateKey(clientKey))
  )
    yield 'SERVICE_CLIENT_KEY: expected the private key of SERVICE_CLIENT_CERT';

  const { LICENSE_PLATE_PARAMETER: licensePlate = '' } = given;
  const documented = shipmentParameterNames
    .filter((name) => name !== 'PortalLicensePlate')
    .map(canonicalParameterName);
  if (documented.includes(canonicalParameterName(licensePlate))) {
    yield `LICENSE_PLATE_PARAMETER: expected a unique parameter name, got ${JSON.stringify(licensePlate)}`;
  }
  const reserved = [...documented, canonicalParameterName(licensePlate)];
  const paths = Object.values(forShipmentCalls((call) => given[`${call}_PATH`]));
  const isInQuery = paths.some((path) => path?.endsWith('?'));
  for (const [name, value] of Object.entries(shipmentParameters)) {
    const label = `SHIPMENT_PARAMETERS: ${JSON.stringify(name)}`;
    const nameProblem = parameterNameProblem(name);
    if (nameProblem !== undefined) yield `${label}: ${nameProblem.message}`;
    if (reserved.includes(canonicalParameterName(name)))
      yield `${label}: expected a name that is not reserved for a documented parameter`;
    if (isInQuery && !fitsQuery(value))
      yield `${label}: expected a query parameter: a string, a number, a boolean or a list of these`;
  }
}

function* storeConflicts(given: Partial<Given>, isSet: (name: VariableName) => boolean): Generator<string> {
  const hasRedis = isSet('REDIS_URL');
  const { IDEMPOTENCY_STORE: store, REDIS_REPLICAS: replicas = 0 } = given;
  const keysIn = store ?? (hasRedis ? 'redis' : 'memory');
  if (given.NODE_ENV === 'production' && !isSet('IDEMPOTENCY_STORE') && !hasRedis)
    yield 'IDEMPOTENCY_STORE: required when NODE_ENV is production and REDIS_URL is unset: memory (for a single process) or off (rejects idempotency keys)';
  if (store === 'redis' && !hasRedis) yield 'IDEMPOTENCY_STORE: expected a REDIS_URL for redis, got none';
  if (hasRedis && keysIn !== 'redis' && !isSet('RATE_LIMIT'))
    yield `REDIS_URL: expected IDEMPOTENCY_STORE=redis or RATE_LIMIT, which use it, got IDEMPOTENCY_STORE=${keysIn} alone`;
  if (replicas > 0 && keysIn !== 'redis')
    yield `REDIS_REPLICAS: expected idempotency keys in Redis, got IDEMPOTENCY_STORE=${keysIn}`;
}

/** What may lose outcomes of writes or expose fixed secrets: warnings, each with its message in the log. The gateway starts all the same. */
export function* findWarnings(environment: Environment, { process, service, idempotency }: Config) {
  for (const variable of Object.keys(environment)) {
    if (!GATEWAY_PREFIXES.test(variable) || SERVICE_LINK.test(variable) || names.has(variable)) continue;
    const problem = 'expected the name of a variable of the gateway';
    yield { message: 'Unknown environment variable', variable, problem };
  }
  const secrets = fixedSecretsIn(service).join(', ');
  if (environment['ANONYMOUS_CLIENTS'] === 'allow' && secrets !== '')
    yield {
      message: 'Insecure environment variable',
      variable: 'ANONYMOUS_CLIENTS',
      problem: `everybody who reaches the port can use the secrets in ${secrets}`,
    };
  // Front ends of the package send a key with every mutation.
  if (process.isProduction && idempotency.kind === 'off')
    yield {
      message: 'Idempotency keys are off',
      variable: 'IDEMPOTENCY_STORE',
      problem:
        'mutations with a key are rejected, including those of shipment-graphql-client, unless its link or exchange has idempotencyKeys: false',
    };
  const { drainDelayMs, shutdownGraceMs } = process;
  const stopMs = drainDelayMs + shutdownGraceMs;
  // A write in flight would be lost with its outcome.
  if (stopMs >= DEFAULT_TERMINATION_GRACE_MS)
    yield {
      message: 'Conflicting environment variable',
      variable: drainDelayMs > shutdownGraceMs ? 'DRAIN_DELAY_MS' : 'SERVICE_TIMEOUT_MS',
      problem: `expected a shutdown of less than ${DEFAULT_TERMINATION_GRACE_MS} ms, after which Kubernetes kills the process by default, got ${stopMs} ms (DRAIN_DELAY_MS + 1.4 × SERVICE_TIMEOUT_MS + 1000)`,
    };
}

/** Prefixes of the gateway's variables, and of names that its fixed limits would have, which other programs hardly use. */
const GATEWAY_PREFIXES = new RegExp(
  `^(?:ANONYMOUS|CLIENT|DRAIN|DRIVER_PHONE|FORWARD_TOKEN|IDEMPOTENCY|LICENSE_PLATE|MAX|NOTIFICATIONS?|OPERATIONS|RATE|REDIS|SCHEMA|SERVICE|SHIPMENT|STOP_LEVEL|SUBGRAPH|TRUST|${Object.keys(shipmentPaths).join('|')})_`,
);
/** Variables that Kubernetes and Docker set for a service with such a name: REDIS_SERVICE_HOST, REDIS_PORT_6379_TCP_ADDR. */
const SERVICE_LINK =
  /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT(?:_\d+_(?:TCP|UDP)(?:_(?:ADDR|PORT|PROTO))?)?)$/;

const names = new Set<string>([...variableNames, ...fileVariables.keys()]);

/** Default of a pod's `terminationGracePeriodSeconds`. */
const DEFAULT_TERMINATION_GRACE_MS = 30_000;
