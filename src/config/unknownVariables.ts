/** What is probably not meant in an environment that is valid: the gateway warns, and starts. */
import leven from 'leven';
import { fixedSecretsIn } from '../freight/operations.js';
import type { Config, Environment } from './config.js';
import { expiryOf, EXPIRY_WARNING_MS } from '../transport/clientCertificate.js';
import { fileVariables } from './variableFiles.js';
import { lowerCaseNames, variableNames } from './variables.js';

export interface Warning {
  /** The line in the log, with the fields. */
  message: string;
  fields: { variable: string } & Readonly<Record<string, string>>;
  /** What follows message and variable on the command line. */
  hint: string;
}

export function findWarnings(environment: Environment, config: Config): Warning[] {
  return [
    ...findMisspelledVariables(environment).map((fields) => ({
      message: 'Unknown environment variable',
      fields,
      hint: `did you mean ${fields.suggestion}?`,
    })),
    ...findIgnoredVariables(environment).map((variable) => ({
      message: 'Ignored environment variable',
      fields: { variable },
      hint: 'neither the gateway nor its OpenTelemetry SDK reads it',
    })),
    ...findOpenSecrets(environment, config).map((fields) => ({
      message: 'Insecure environment variable',
      fields,
      hint: fields.problem,
    })),
    ...findRejectedKeys(environment, config).map((fields) => ({
      message: 'Idempotency keys are off',
      fields,
      hint: fields.problem,
    })),
    ...[...findStopConflicts(config), ...findSizeConflicts(config), ...findSchemeConflicts(config)].map(
      (fields) => ({
        message: 'Conflicting environment variable',
        fields,
        hint: fields.problem,
      }),
    ),
    ...findExpiringCertificates(config).map((fields) => ({
      message: 'Client certificate expires soon',
      fields,
      hint: `on ${fields.expiresAt}`,
    })),
  ];
}

/** Production without keys: front ends of the package send one with every mutation. */
function findRejectedKeys({ NODE_ENV: mode }: Environment, { service: { idempotencyStore } }: Config) {
  if (mode !== 'production' || idempotencyStore !== 'off') return [];
  const problem =
    'mutations with a key are rejected, including those of shipment-graphql-client, unless its link or exchange has idempotencyKeys: false';
  return [{ variable: 'IDEMPOTENCY_STORE', problem }];
}

function findOpenSecrets({ ANONYMOUS_CLIENTS: anonymousClients }: Environment, { service }: Config) {
  const secrets = fixedSecretsIn(service).join(', ');
  if (anonymousClients !== 'allow' || secrets === '') return [];
  const problem = `everybody who reaches the port uses the secrets in ${secrets}`;
  return [{ variable: 'ANONYMOUS_CLIENTS', problem }];
}

/** What a service at another scheme than the operator had in mind does not use. */
function findSchemeConflicts({ SERVICE_URL, service }: Config): { variable: string; problem: string }[] {
  const { shipmentServiceUrl, httpProxy, httpsProxy, clientCertificate } = service;
  const schemes = [SERVICE_URL, shipmentServiceUrl].flatMap((url) => (url ? [url.protocol] : []));
  const isOnly = (scheme: string) => schemes.length > 0 && schemes.every((each) => each === scheme);
  return [
    ...(httpProxy && !httpsProxy && isOnly('https:')
      ? [{ variable: 'HTTP_PROXY', problem: 'expected HTTPS_PROXY, as the service is called over https' }]
      : []),
    ...(httpsProxy && !httpProxy && isOnly('http:')
      ? [{ variable: 'HTTPS_PROXY', problem: 'expected HTTP_PROXY, as the service is called over http' }]
      : []),
    ...(clientCertificate !== undefined && isOnly('http:')
      ? [
          {
            variable: 'SERVICE_CLIENT_CERT',
            problem: 'expected a service at https: over http it is not sent',
          },
        ]
      : []),
  ];
}

function findExpiringCertificates({ service: { clientCertificate } }: Config) {
  const expiry = clientCertificate === undefined ? Infinity : expiryOf(clientCertificate);
  if (expiry - Date.now() >= EXPIRY_WARNING_MS) return [];
  return [{ variable: 'SERVICE_CLIENT_CERT', expiresAt: new Date(expiry).toISOString() }];
}

/** A stop that Kubernetes cuts off unless its manifest allows more time: a write in flight would be lost with its outcome. */
function findStopConflicts({ process: { drainDelayMs, shutdownGraceMs } }: Config) {
  const stopMs = drainDelayMs + shutdownGraceMs;
  if (stopMs < DEFAULT_TERMINATION_GRACE_MS) return [];
  const variable = drainDelayMs > shutdownGraceMs ? 'DRAIN_DELAY_MS' : 'SERVICE_TIMEOUT_MS';
  const problem = `expected a stop of less than ${DEFAULT_TERMINATION_GRACE_MS} ms, after which Kubernetes kills by default, got ${stopMs} ms (DRAIN_DELAY_MS + 1.4 × SERVICE_TIMEOUT_MS + 1000)`;
  return [{ variable, problem }];
}

/** Of a pod, `terminationGracePeriodSeconds`. */
const DEFAULT_TERMINATION_GRACE_MS = 30_000;

/** Sizes that do not fit each other: a request that one allows is rejected because of another. */
function findSizeConflicts({ http, subgraph }: Config): { variable: string; problem: string }[] {
  const { maxBodyBytes } = http;
  const neededBytes = subgraph.maxEntities * BYTES_PER_REPRESENTATION;
  if (!subgraph.tokens || neededBytes <= maxBodyBytes) return [];
  const problem = `expected at least ${neededBytes} for MAX_REST_CALLS × 10 representations, got ${maxBodyBytes}`;
  return [{ variable: 'MAX_BODY_BYTES', problem }];
}

/** Of an entity with a GUID as its key, in a list of variables. */
const BYTES_PER_REPRESENTATION = 100;

/** Variables that the OpenTelemetry SDK reads itself. */
export const SDK_VARIABLES =
  '^OTEL_(?:(?:ATTRIBUTE|BSP|SPAN)_[A-Z_]+|EXPORTER_OTLP_(?:TRACES_)?(?:CERTIFICATE|CLIENT_CERTIFICATE|CLIENT_KEY|COMPRESSION|HEADERS|TIMEOUT)|RESOURCE_ATTRIBUTES|SDK_DISABLED|SERVICE_NAME|TRACES_SAMPLER(?:_ARG)?)$';

/** Other parts of OpenTelemetry, such as metrics and logs, or another protocol: an operator expects an effect that they do not have. */
function findIgnoredVariables(environment: Environment): string[] {
  return Object.entries(environment).flatMap(([variable, value = '']) =>
    value !== '' && isIgnored(variable) ? [variable] : [],
  );
}

function isIgnored(variable: string): boolean {
  return variable.startsWith('OTEL_') && !isRead(variable) && nearestName(variable) === undefined;
}

function isRead(variable: string): boolean {
  return names.has(variable) || new RegExp(SDK_VARIABLES).test(variable);
}

/** Maximum edit distance (Levenshtein) between a name and its suggestion. */
const MAX_DISTANCE = 2;
/** Shorter names, such as HOST, are never suggested: too many variables of other programs resemble them. */
const MIN_LENGTH = 6;

const names = new Set<string>([...variableNames, ...lowerCaseNames, ...fileVariables.keys()]);
const candidates = [...variableNames, ...fileVariables.keys()].filter(
  (name) => (fileVariables.get(name) ?? name).length >= MIN_LENGTH,
);
/** Of other programs, often set along with HTTP_PROXY. */
const FOREIGN_NAMES = /^(?:ALL_PROXY|FTP_PROXY|GOPROXY)$/i;

/** Unknown variables, each with the name that was probably meant. */
export function findMisspelledVariables(environment: Environment) {
  return Object.keys(environment)
    .filter((variable) => !isRead(variable) && !FOREIGN_NAMES.test(variable))
    .flatMap((variable) => {
      const suggestion = nearestName(variable.toUpperCase());
      return suggestion === undefined ? [] : [{ variable, suggestion }];
    });
}

/** The name with the fewest other letters. */
function nearestName(variable: string): string | undefined {
  const distances = candidates.map((name) => ({ name, distance: leven(name, variable) }));
  const [nearest] = distances.sort((a, b) => a.distance - b.distance);
  return nearest && nearest.distance <= MAX_DISTANCE ? nearest.name : undefined;
}
