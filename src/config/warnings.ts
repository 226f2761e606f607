/** Warnings about a valid configuration that may lose outcomes of writes or expose fixed secrets. The gateway starts all the same. */
import { fixedSecretsIn, shipmentPaths } from '../freight/operations.js';
import type { Config } from './config.js';
import { type Environment, fileVariables, variableNames } from './variables.js';

/** The problems of variables, each with the message that it has as a line in the log. */
export function findWarnings(environment: Environment, { process, service, idempotency }: Config) {
  const warnings = Object.keys(environment)
    .filter((name) => GATEWAY_PREFIXES.test(name) && !SERVICE_LINK.test(name) && !names.has(name))
    .map((variable) => ({
      message: 'Unknown environment variable',
      variable,
      problem: 'expected the name of a variable of the gateway',
    }));
  const secrets = fixedSecretsIn(service).join(', ');
  if (environment['ANONYMOUS_CLIENTS'] === 'allow' && secrets !== '')
    warnings.push({
      message: 'Insecure environment variable',
      variable: 'ANONYMOUS_CLIENTS',
      problem: `everybody who reaches the port can use the secrets in ${secrets}`,
    });
  // Front ends of the package send a key with every mutation.
  if (process.isProduction && idempotency.kind === 'off')
    warnings.push({
      message: 'Idempotency keys are off',
      variable: 'IDEMPOTENCY_STORE',
      problem:
        'mutations with a key are rejected, including those of shipment-graphql-client, unless its link or exchange has idempotencyKeys: false',
    });
  const { drainDelayMs, shutdownGraceMs } = process;
  const stopMs = drainDelayMs + shutdownGraceMs;
  // A write in flight would be lost with its outcome.
  if (stopMs >= DEFAULT_TERMINATION_GRACE_MS)
    warnings.push({
      message: 'Conflicting environment variable',
      variable: drainDelayMs > shutdownGraceMs ? 'DRAIN_DELAY_MS' : 'SERVICE_TIMEOUT_MS',
      problem: `expected a shutdown of less than ${DEFAULT_TERMINATION_GRACE_MS} ms, after which Kubernetes kills the process by default, got ${stopMs} ms (DRAIN_DELAY_MS + 1.4 × SERVICE_TIMEOUT_MS + 1000)`,
    });
  return warnings;
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
