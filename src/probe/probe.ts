/** `--probe`: reads from the service what its interface document leaves open, and prints the variables to set. */
import { ConfigError, parseConfig, type Config } from '../config/config.js';
import type { GivenVariables } from '../config/variableFiles.js';
import type { VariableName } from '../config/variables.js';
import { printable, quoteForShell } from '../domain/text.js';
import type { ServiceSettings } from '../freight/operations.js';
import { createProbeCalls, type Probe, type Verdict } from './calls.js';
import { probeList, probeNotificationPath, probeShipmentPaths, reportDeviations } from './steps.js';

type Output = Pick<NodeJS.WritableStream, 'write'>;

/** Prints what was found, and returns the exit code: 1 if something keeps the gateway from working. */
export async function runProbe(
  config: Config,
  given: GivenVariables,
  token: string | undefined,
  { stdout, stderr }: Record<'stderr' | 'stdout', Output>,
): Promise<0 | 1> {
  const { SERVICE_URL: serviceUrl } = config;
  if (serviceUrl === undefined)
    throw new ConfigError(['SERVICE_URL: expected the URL of the service, got none']);
  let settings: ServiceSettings = { ...config.service, serviceUrl };
  const findings: { verdict: Verdict; subject: string; description: string }[] = [];
  const values: Partial<Record<VariableName, string>> = {};
  const onWait = (seconds: number) => stderr.write(`Waiting ${seconds} s, as the service asks\n`);
  const { call, stop } = createProbeCalls({ ...config, token }, () => settings, onWait);
  const probe: Probe = {
    call,
    hasToken: token !== undefined,
    settings: () => settings,
    report: (verdict, subject, description) => void findings.push({ verdict, subject, description }),
    set(variable, value, description) {
      values[variable] = value;
      const { service, SERVICE_URL } = parseConfig({ ...given.environment, ...values }, given);
      settings = { ...service, serviceUrl: SERVICE_URL ?? serviceUrl };
      findings.push({ verdict: 'set', subject: variable, description });
    },
  };
  try {
    const list = await probeList(probe);
    if (list !== undefined) {
      reportDeviations(probe, list);
      await probeNotificationPath(probe, list);
    }
    await probeShipmentPaths(probe);
  } finally {
    await stop();
  }
  const width = Math.max(...findings.map(({ subject }) => subject.length));
  const lines = findings.map(
    ({ verdict, subject, description }) =>
      `${verdict.padEnd(6)}  ${subject.padEnd(width)}  ${printable(description)}`,
  );
  const variables = Object.entries(values).map(([name, value]) => `${name}=${quoteForShell(value)}`);
  const advice = variables.length > 0 ? ['Add to .env, and probe again:', '', ...variables, ''] : [];
  const hasFailed = findings.some(({ verdict }) => verdict === 'failed');
  const next = hasFailed ? 'Fix what failed, and probe again.' : 'What only writes show: docs/first-hour.md';
  stdout.write([...lines, '', ...advice, next, ''].join('\n'));
  return hasFailed || variables.length > 0 ? 1 : 0;
}
