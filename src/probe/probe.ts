/** `--probe`: asks the service itself what its interface document leaves open, and prints the variables to set. */
import { parseConfig, type Config } from '../config/config.js';
import type { GivenVariables } from '../config/variableFiles.js';
import { variableOf, type VariableName } from '../config/variables.js';
import type { ServiceSettings } from '../freight/operations.js';
import { startMock } from '../process/program.js';
import { createProbeCalls, ProbeTimedOut } from './calls.js';
import { probeNetwork, type NetworkOptions } from './network.js';
import { probeNotificationPath, probeReads, probeShipmentPaths } from './reads.js';
import { formatReport, toReport, type Finding, type Probe, type ProbeReport } from './report.js';
import { probeExceptions, probeNotificationWrites, probeTracking } from './writes.js';

export interface ProbeOptions {
  /** Without SERVICE_URL, the mock is probed. */
  config: Config;
  given: GivenVariables;
  /** Whether writes are sent, too. */
  hasWrites: boolean;
  isJson: boolean;
  stdout: Output;
  stderr: Output;
}

/** A stream of the process. */
export interface Output {
  /** Whether it is a terminal. */
  readonly isTTY: boolean;
  write(text: string): void;
}

/** The probe ends after this time in milliseconds, whatever happens. */
const MAX_DURATION_MS = 90_000;
/** Timeout of each step of opening a connection, in milliseconds. */
const NETWORK_TIMEOUT_MS = 5000;

/** What the interface document leaves open, and what would show it where a probe does not. */
const openVariables: Partial<Record<VariableName, string>> = {
  NOTIFICATIONS_PATH: 'a list that can be read would show it',
  NOTIFICATION_PATH: 'a notification in the list, or --probe-writes, would show it',
  STOP_LEVEL_RECIPIENT_TYPE: 'a notification at stop level, or --probe-writes, would show it',
  TRACKING_PATH: '--probe-writes would show it',
  TRACKING_PARAMETERS_IN: '--probe-writes would show it',
  DRIVER_PHONE_FORMAT: '--probe-writes, or a shipment that exists, would show it',
  LICENSE_PLATE_PARAMETER: '--probe-writes, or a shipment that exists, would show it',
  EXCEPTION_PATH: '--probe-writes would show it',
  EXCEPTION_PARAMETERS_IN: '--probe-writes would show it',
  SHIPMENT_PARAMETERS: "only the service's operator knows them",
  FORWARD_TOKEN_TO_SHIPMENT_SERVICE: '--probe-writes shows whether the calls are accepted as they are',
};

/** Prints the report, and returns the exit code: 1 if anything is contradicted or failed. */
export async function runProbe(options: ProbeOptions): Promise<0 | 1> {
  const { config, isJson, hasWrites, stdout } = options;
  const mock = config.SERVICE_URL === undefined ? await startMock() : undefined;
  const serviceUrl = config.SERVICE_URL ?? new URL(mock?.url ?? '');
  const report = await probe(options, serviceUrl).finally(() => mock?.stop());
  stdout.write(
    isJson
      ? `${JSON.stringify(report, null, 2)}\n`
      : formatReport(report, { hasColors: stdout.isTTY, hasWrites }),
  );
  return report.ok ? 0 : 1;
}

async function probe(
  { given, config, hasWrites, stderr }: ProbeOptions,
  serviceUrl: URL,
): Promise<ProbeReport> {
  const findings = new Map<string, Finding>();
  const found = (finding: Finding) => {
    const isSettled = finding.verdict === 'proven' && findings.get(finding.point)?.verdict === 'contradicted';
    if (!isSettled) findings.set(finding.point, finding);
    if (stderr.isTTY) stderr.write(`\r\u001b[K${finding.point}`);
  };
  const report = (point: string, verdict: Finding['verdict'], saw: string) =>
    found({ point, verdict, saw, variable: point in openVariables ? point : null, value: null });

  let environment = given.environment;
  let settings: ServiceSettings = { ...config.service, serviceUrl };
  const end = performance.now() + MAX_DURATION_MS;
  const calls = createProbeCalls({ config, settingsInEffect: () => settings, end });
  const steps: Probe = {
    call: calls.call,
    hasToken: config.probe.token !== undefined,
    settings: () => settings,
    announce: (text) => stderr.write(`${stderr.isTTY ? '\r\u001b[K' : ''}${text}\n`),
    proven: (point, saw) => report(point, 'proven', saw),
    contradicted(variable, value, saw) {
      environment = { ...environment, [variable]: value };
      const { service, SERVICE_URL } = parseConfig(environment, given); // with the defaults that depend on it
      settings = { ...service, serviceUrl: SERVICE_URL ?? settings.serviceUrl };
      found({ point: variable, verdict: 'contradicted', saw, variable, value });
    },
    assumed: (point, saw) => report(point, 'assumed', saw),
    failed: (point, saw) => report(point, 'failed', saw),
  };
  try {
    await takeSteps(steps, hasWrites, {
      proxies: config.service,
      timeoutMs: NETWORK_TIMEOUT_MS,
      report: found,
    });
    reportTimeout(steps, config, calls.slowestMs());
  } catch (error) {
    if (!(error instanceof ProbeTimedOut)) throw error;
    steps.failed(
      'time',
      `expected an end within ${MAX_DURATION_MS / 1000} s, got responses that took longer`,
    );
  } finally {
    await calls.stop();
  }
  for (const [variable, proof] of Object.entries(openVariables)) {
    if (!findings.has(variable))
      steps.assumed(variable, `${assumptionOf(config, variable as VariableName)}; ${proof}`);
  }
  if (stderr.isTTY) stderr.write('\r\u001b[K');
  return toReport([...findings.values()]);
}

async function takeSteps(probe: Probe, hasWrites: boolean, network: NetworkOptions): Promise<void> {
  const { serviceUrl, shipmentServiceUrl = serviceUrl } = probe.settings();
  const isReachable = await probeNetwork(serviceUrl, 'SERVICE_URL', network);
  const notificationGuid = isReachable ? await probeReads(probe) : undefined;
  if (notificationGuid !== undefined) await probeNotificationPath(probe, notificationGuid);
  const hasOtherHost = shipmentServiceUrl.origin !== serviceUrl.origin;
  const areShipmentsReachable = hasOtherHost
    ? await probeNetwork(shipmentServiceUrl, 'SHIPMENT_SERVICE_URL', network)
    : isReachable;
  if (isReachable && hasWrites) await probeNotificationWrites(probe, notificationGuid !== undefined);
  if (!areShipmentsReachable) return;
  if (!hasWrites) {
    await probeShipmentPaths(probe);
    return;
  }
  await probeTracking(probe);
  await probeExceptions(probe);
}

/** What the gateway will do. */
function assumptionOf(config: Config, variable: VariableName): string {
  const { to, secret } = variableOf(variable);
  const [group = '', property = ''] = to[0]?.split('.') ?? [];
  const groups = config as unknown as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  return secret ? 'not probed' : `in effect: ${String(groups[group]?.[property])}`;
}

/** A service is too slow for its timeout if a response takes more than half of it. */
function reportTimeout(probe: Probe, { service: { timeoutMs } }: Config, slowestMs: number): void {
  const variable = 'SERVICE_TIMEOUT_MS';
  const saw = `the slowest response took ${Math.round(slowestMs)} ms`;
  if (slowestMs <= timeoutMs / 2) probe.proven(variable, saw);
  else probe.contradicted(variable, String(Math.min(600_000, Math.ceil(slowestMs / 1000) * 5000)), saw);
}
