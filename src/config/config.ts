/** The configuration, parsed from environment variables at startup. Reports every problem at once. */
import { z } from 'zod';
import { variables } from './variables.js';
import { shipmentParameterNames } from '../freight/contract.js';
import { canonicalParameterName, fitsQuery, parameterNameProblem } from '../domain/parameters.js';

const EnvironmentSchema = z.object(variables);

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

type Variables = z.output<typeof EnvironmentSchema>;

/** Variables whose defaults depend on others always have a value. */
type Derived = 'EXPLORER' | 'EXPOSE_REST_CALLS' | 'IDEMPOTENCY_STORE';

export type Config = Variables & { [Name in Derived]-?: NonNullable<Variables[Name]> };

/** Clients behind one address, such as an office behind NAT, that the default limit per address has room for. */
const CLIENTS_PER_ADDRESS = 10;

/** Thrown for an invalid environment; the message has a line per problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly string[]) {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    super(`Invalid configuration (${count}):\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/** What `parseConfig` has to know about values that were read from files. */
export interface VariableFiles {
  /** For each variable whose value is from a file, the path of the file. */
  files: ReadonlyMap<string, string>;
  /** Why values could not be read. */
  problems: readonly string[];
}

/**
 * Parses the environment; an empty variable counts as unset. Throws a ConfigError. With problems of files, which leave variables
 * without their values, it reports no conflicts between variables.
 */
export function parseConfig(
  environment: Environment,
  { files, problems: fileProblems }: VariableFiles = { files: new Map(), problems: [] },
): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = EnvironmentSchema.safeParse(given);
  const problems = [
    ...fileProblems,
    ...(result.error?.issues ?? []).map(({ path, message }) => `${String(path[0])}: ${message}`),
    ...(fileProblems.length > 0 ? [] : crossVariableProblems(given)),
  ];
  if (!result.success || problems.length > 0)
    throw new ConfigError(problems.map((problem) => withoutContent(problem, files)));
  return withDerivedDefaults(result.data);
}

/** Names the file instead of quoting its content, which may be the secret of another variable. */
function withoutContent(problem: string, files: VariableFiles['files']): string {
  const path = files.get(problem.slice(0, problem.indexOf(':')));
  return path === undefined
    ? problem
    : problem.replace(/, got [^]*$/, () => `, got another value in ${path}`);
}

function withDerivedDefaults(given: Variables): Config {
  const isProduction = given.NODE_ENV === 'production';
  const rate = given.RATE_LIMIT;
  return {
    ...given,
    EXPLORER: given.EXPLORER ?? !isProduction,
    EXPOSE_REST_CALLS: given.EXPOSE_REST_CALLS ?? !isProduction,
    IDEMPOTENCY_STORE: given.IDEMPOTENCY_STORE ?? defaultStore(given),
    RATE_LIMIT_PER_ADDRESS:
      given.RATE_LIMIT_PER_ADDRESS ?? (rate && { ...rate, requests: rate.requests * CLIENTS_PER_ADDRESS }),
  };
}

/** Memory only where no other process could get a repeat of the same key. */
function defaultStore({ NODE_ENV, REDIS_URL }: Variables): Config['IDEMPOTENCY_STORE'] {
  if (REDIS_URL !== undefined) return 'redis';
  return NODE_ENV === 'production' ? 'off' : 'memory';
}

/** Conflicts between variables. Those that are invalid themselves are ignored here. */
function crossVariableProblems(given: Environment): string[] {
  const read = <Name extends keyof Config>(name: Name) =>
    variables[name].safeParse(given[name]).data as Config[Name] | undefined;
  const problems: string[] = [];
  if (given['NODE_ENV'] === 'production' && given['SERVICE_URL'] === undefined) {
    problems.push('SERVICE_URL: required when NODE_ENV is production');
  }
  problems.push(...storeProblems(given));
  const maxResponseBytes = read('MAX_RESPONSE_BYTES') ?? 0;
  const maxResultBytes = read('MAX_RESULT_BYTES') ?? 0;
  const minBytesInFlight = 2 * maxResponseBytes + maxResultBytes;
  const maxBytesInFlight = read('MAX_BYTES_IN_FLIGHT') ?? Infinity;
  if (maxBytesInFlight < minBytesInFlight) {
    problems.push(
      `MAX_BYTES_IN_FLIGHT: expected at least 2 × MAX_RESPONSE_BYTES + MAX_RESULT_BYTES, which is ${minBytesInFlight}, got ${maxBytesInFlight}`,
    );
  }

  const licensePlate = read('LICENSE_PLATE_PARAMETER') ?? '';
  const documented = shipmentParameterNames
    .filter((name) => name !== 'PortalLicensePlate')
    .map(canonicalParameterName);
  if (documented.includes(canonicalParameterName(licensePlate))) {
    problems.push(
      `LICENSE_PLATE_PARAMETER: expected a unique parameter name, got ${JSON.stringify(licensePlate)}`,
    );
  }
  const reserved = [...documented, canonicalParameterName(licensePlate)];
  const isInQuery = read('TRACKING_PARAMETERS_IN') === 'query' || read('EXCEPTION_PARAMETERS_IN') === 'query';
  for (const [name, value] of Object.entries(read('SHIPMENT_PARAMETERS') ?? {})) {
    const label = `SHIPMENT_PARAMETERS: ${JSON.stringify(name)}`;
    const nameProblem = parameterNameProblem(name);
    if (nameProblem !== undefined) problems.push(`${label}: ${nameProblem.message}`);
    if (reserved.includes(canonicalParameterName(name)))
      problems.push(`${label}: expected a name that is not reserved for a documented parameter`);
    if (isInQuery && !fitsQuery(value))
      problems.push(`${label}: expected a query parameter: a string, a number, a boolean or a list of these`);
  }
  return problems;
}

function storeProblems(given: Environment): string[] {
  const { IDEMPOTENCY_STORE: store, REDIS_URL: redisUrl } = given;
  const isRateLimited = given['RATE_LIMIT'] !== undefined || given['RATE_LIMIT_PER_ADDRESS'] !== undefined;
  const problems: string[] = [];
  if (store === 'redis' && redisUrl === undefined)
    problems.push('IDEMPOTENCY_STORE: expected a REDIS_URL for redis, got none');
  if ((store === 'memory' || store === 'off') && redisUrl !== undefined && !isRateLimited)
    problems.push(
      `REDIS_URL: expected IDEMPOTENCY_STORE=redis, RATE_LIMIT or RATE_LIMIT_PER_ADDRESS, which use it, got IDEMPOTENCY_STORE=${store} alone`,
    );
  return problems;
}
