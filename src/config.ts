/** The configuration: environment variables, parsed once, with every problem named at once. */
import { z } from 'zod';
import { shipmentParameterNames } from './service/contract.js';
import { carriesGuid, pathTemplateProblem } from './service/paths.js';
import { fitsQuery } from './service/query.js';

const ServiceUrl = z.string().transform((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
  if (url && isPlain) return url;
  // What arrived is not repeated, as it may hold credentials.
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
const Path = PathTemplate.refine((path) => !carriesGuid(path), {
  error: expected('a path without a placeholder'),
});

const Flag = z
  .enum(['true', 'false'], { error: expected('true or false') })
  .transform((text) => text === 'true');
const ParameterPlace = z.enum(['body', 'query'], { error: expected('body or query') });
const ParameterName = z
  .string()
  .regex(/^\w+$/, { error: expected('a name of letters, digits and underscores') });

const FixedParameters = z.string().transform((text, context): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // The parser's message would quote the secrets within.
  }
  context.addIssue({ code: 'custom', message: 'expected a JSON object' });
  return z.NEVER;
});

const variables = {
  NODE_ENV: z.string().default('development'),
  HOST: z.string().default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(4000),
  SERVICE_URL: ServiceUrl.optional(),
  SHIPMENT_SERVICE_URL: ServiceUrl.optional(),
  FORWARD_TOKEN_TO_SHIPMENT_SERVICE: Flag.default(false),
  NOTIFICATIONS_PATH: Path.default('/v1/customnotifications'),
  NOTIFICATION_PATH: PathTemplate.default('/v1/customnotifications/{notificationGuid}'),
  TRACKING_PATH: Path.default('/atlas/frexapi/shipment/track/'),
  EXCEPTION_PATH: Path.default('/atlas/frexapi/shipment/exception'),
  TRACKING_PARAMETERS_IN: ParameterPlace.default('body'),
  EXCEPTION_PARAMETERS_IN: ParameterPlace.default('body'),
  LICENSE_PLATE_PARAMETER: ParameterName.default('PortalLicensePlate'),
  SHIPMENT_PARAMETERS: FixedParameters.default({}),
  SERVICE_TIMEOUT_MS: wholeNumber(1, 600_000).default(10_000),
  SERVICE_RETRIES: wholeNumber(0, 10).default(2),
  SERVICE_CONNECTIONS: wholeNumber(1, 10_000).default(128),
  SERVICE_QUEUE: wholeNumber(0, 100_000).default(256),
  SERVICE_CIRCUIT_OPEN_MS: wholeNumber(1, 600_000).default(5000),
  MAX_RESPONSE_BYTES: wholeNumber(1, 1_073_741_824).default(10_485_760),
  REQUEST_TIMEOUT_MS: wholeNumber(1, 600_000).default(30_000),
  SHUTDOWN_GRACE_MS: wholeNumber(0, 600_000).default(15_000),
  MAX_BODY_BYTES: wholeNumber(1, 104_857_600).default(262_144),
  MAX_REST_CALLS: wholeNumber(1, 10_000).default(100),
};
const Environment = z.object(variables);

export type Config = z.output<typeof Environment>;

/** The environment is no configuration: everything that is wrong with it, a line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    );
  }
}

/** Reads the configuration from environment variables; an empty one counts as unset. Throws a ConfigError. */
export function parseConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = Environment.safeParse(given);
  const problems = [
    ...(result.error?.issues ?? []).map(({ path, message }) => `${String(path[0])}: ${message}`),
    ...combinationProblems(given),
  ];
  if (!result.success || problems.length > 0) throw new ConfigError(problems);
  return result.data;
}

/** What is wrong with variables together, as far as each is right by itself. */
function combinationProblems(given: Readonly<Record<string, string | undefined>>): string[] {
  const read = <Name extends keyof Config>(name: Name) =>
    variables[name].safeParse(given[name]).data as Config[Name] | undefined;
  const problems: string[] = [];
  if (given['NODE_ENV'] === 'production' && given['SERVICE_URL'] === undefined) {
    problems.push('SERVICE_URL: expected the address of the service, as NODE_ENV is production, got nothing');
  }

  const licensePlate = read('LICENSE_PLATE_PARAMETER') ?? '';
  const documented = shipmentParameterNames
    .filter((name) => name !== 'PortalLicensePlate')
    .map((name) => name.toLowerCase());
  if (documented.includes(licensePlate.toLowerCase())) {
    problems.push(
      `LICENSE_PLATE_PARAMETER: expected a name that no other parameter has, got ${JSON.stringify(licensePlate)}`,
    );
  }
  const taken = [...documented, licensePlate.toLowerCase()];
  const isInQuery = read('TRACKING_PARAMETERS_IN') === 'query' || read('EXCEPTION_PARAMETERS_IN') === 'query';
  for (const [name, value] of Object.entries(read('SHIPMENT_PARAMETERS') ?? {})) {
    const label = `SHIPMENT_PARAMETERS: ${JSON.stringify(name)}`;
    if (taken.includes(name.toLowerCase()))
      problems.push(`${label}: expected a name that no documented parameter has`);
    if (isInQuery && !fitsQuery(value)) problems.push(`${label}: expected a value that fits a query`);
  }
  return problems;
}

function wholeNumber(least: number, most: number) {
  const error = expected(`a whole number from ${least} to ${most}`);
  return z
    .string()
    .regex(/^\d{1,15}$/, { error })
    .transform(Number)
    .refine((number) => number >= least && number <= most, { error });
}

function expected(expectation: string) {
  return ({ input }: { input?: unknown }): string => `expected ${expectation}, got ${JSON.stringify(input)}`;
}
