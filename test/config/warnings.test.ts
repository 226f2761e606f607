import { describe, expect, test } from 'vitest';
import { findWarnings, parseConfig } from '../../src/config/config.js';

const warningsOf = (environment: Record<string, string>) =>
  [...findWarnings(environment, parseConfig(environment))].map(
    ({ message, variable, problem }) => `${message} ${variable}: ${problem}`,
  );
const UNKNOWN = 'expected the name of a variable of the gateway';

test('a gateway warns of variables that begin as its own and do not exist, without their values', () => {
  expect(
    warningsOf({
      SERVICE_TIMEOUTS: '5ecret',
      PORT: '4000',
      REDIS_URI: 'redis://:5ecret@host',
      MAX_TOKENS: '5',
    }),
  ).toEqual([
    `Unknown environment variable SERVICE_TIMEOUTS: ${UNKNOWN}`,
    `Unknown environment variable REDIS_URI: ${UNKNOWN}`,
    `Unknown environment variable MAX_TOKENS: ${UNKNOWN}`,
  ]);
});

test.each([
  ['its own', ['HOST', 'NOTIFICATION_PATH', 'no_proxy', 'REDIS_URL_FILE', 'SHIPMENT_PARAMETERS_FILE']],
  ['those of the OpenTelemetry SDK', ['OTEL_SERVICE_NAME', 'OTEL_METRICS_EXPORTER']],
  [
    'those that Kubernetes and Docker set for a service',
    ['REDIS_PORT', 'REDIS_PORT_6379_TCP', 'REDIS_PORT_6379_TCP_ADDR', 'SHIPMENT_GATEWAY_SERVICE_PORT_HTTP'],
  ],
  ['those of other programs', ['PATH', 'NODE_OPTIONS', 'LOG_LEVER', 'npm_config_cache', 'SERVICE']],
])('but not of %s', (_whose, names) => {
  const environment = Object.fromEntries(names.map((name) => [name, 'x']));
  expect([...findWarnings(environment, parseConfig({}))]).toEqual([]);
});

describe('A gateway warns, and starts,', () => {
  test.each<[string, Record<string, string>, string[]]>([
    [
      'of a stop that takes longer than Kubernetes waits, because of a long call',
      { SERVICE_TIMEOUT_MS: '20000' },
      [
        'Conflicting environment variable SERVICE_TIMEOUT_MS: expected a shutdown of less than 30000 ms, after which Kubernetes kills the process by default, got 30000 ms (DRAIN_DELAY_MS + 1.4 × SERVICE_TIMEOUT_MS + 1000)',
      ],
    ],
    [
      'of a stop that takes longer than Kubernetes waits, because of a long delay',
      { DRAIN_DELAY_MS: '60000' },
      [
        'Conflicting environment variable DRAIN_DELAY_MS: expected a shutdown of less than 30000 ms, after which Kubernetes kills the process by default, got 75000 ms (DRAIN_DELAY_MS + 1.4 × SERVICE_TIMEOUT_MS + 1000)',
      ],
    ],
    ['but not of one that ends just before', { SERVICE_TIMEOUT_MS: '19995' }, []],
    [
      'of keys that are off in production',
      { NODE_ENV: 'production', SERVICE_URL: 'https://a', IDEMPOTENCY_STORE: 'off' },
      [
        'Idempotency keys are off IDEMPOTENCY_STORE: mutations with a key are rejected, including those of shipment-graphql-client, unless its link or exchange has idempotencyKeys: false',
      ],
    ],
    ['but not elsewhere', { IDEMPOTENCY_STORE: 'off' }, []],
    [
      'of secrets that everybody may use',
      { ANONYMOUS_CLIENTS: 'allow', SHIPMENT_PARAMETERS: '{"Key":"5ecret"}' },
      [
        'Insecure environment variable ANONYMOUS_CLIENTS: everybody who reaches the port can use the secrets in SHIPMENT_PARAMETERS',
      ],
    ],
    ['but not where there are none', { ANONYMOUS_CLIENTS: 'allow' }, []],
  ])('%s', (_what, environment, warnings) => {
    expect(warningsOf(environment)).toEqual(warnings);
  });
});
