import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.js';
import { findMisspelledVariables, findWarnings } from '../../src/config/unknownVariables.js';

describe('An unknown environment variable is reported with the name that was probably meant if it has', () => {
  test.each([
    ['swapped letters', 'SERVICE_TIMOEUT_MS', 'SERVICE_TIMEOUT_MS'],
    ['a missing letter', 'SERVICE_TIMOUT_MS', 'SERVICE_TIMEOUT_MS'],
    ['an extra letter', 'MAX_TOKENSS', 'MAX_TOKENS'],
    ['a wrong letter', 'LOG_LEVER', 'LOG_LEVEL'],
    ['a missing underscore', 'RATELIMIT', 'RATE_LIMIT'],
    ['a hyphen for an underscore', 'RATE-LIMIT', 'RATE_LIMIT'],
    ['lower case', 'service_url', 'SERVICE_URL'],
    ['a mixture of cases', 'Http_Proxy', 'HTTP_PROXY'],
    ['no underscore', 'NOPROXY', 'NO_PROXY'],
    ['the name of a file', 'REDIS_URI_FILE', 'REDIS_URL_FILE'],
    ['a misspelled suffix', 'SUBGRAPH_TOKEN_FIEL', 'SUBGRAPH_TOKEN_FILE'],
    ['one of two similar names as the nearest', 'NOTIFICATION_PATHS', 'NOTIFICATION_PATH'],
  ])('%s', (_mistake, variable, suggestion) => {
    expect(findMisspelledVariables({ [variable]: 'x' })).toEqual([{ variable, suggestion }]);
  });
});

describe('No environment variable is reported if it is', () => {
  test.each([
    ['one of the gateway', ['SERVICE_URL', 'NOTIFICATION_PATH', 'NOTIFICATIONS_PATH', 'HOST', 'PORT']],
    ['the name of a file', ['REDIS_URL_FILE', 'SHIPMENT_PARAMETERS_FILE', 'PORT_FILE']],
    ['one of the gateway in lower case', ['http_proxy', 'https_proxy', 'no_proxy']],
    ['often set along with these', ['all_proxy', 'ALL_PROXY', 'ftp_proxy', 'FTP_PROXY', 'GOPROXY']],
    ['one of the OpenTelemetry SDK', ['OTEL_SERVICE_NAME', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS']],
    ['one of a service in Kubernetes', ['SHIPMENT_GATEWAY_SERVICE_PORT', 'REDIS_SERVICE_HOST', 'REDIS_PORT']],
    ['unrelated', ['PATH', 'HOME', 'LANG', 'npm_config_cache', 'KUBERNETES_SERVICE_HOST', 'SERVICE']],
    ['too different', ['SERVICE_TIME', 'MAX_REQUESTS']],
    ['similar only to a short name', ['HOSTS', 'MOST', 'PORTS', 'SORT', 'CERT_FILE', 'HOSTFILE']],
  ])('%s', (_kind, names) => {
    expect(findMisspelledVariables(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([]);
  });
});

test('all misspelled variables are reported in the order of the environment, without their values', () => {
  expect(
    findMisspelledVariables({ SUBGRAPH_TOKN: 'secret', PORT: '4000', REDIS_URI: 'redis://:secret@host' }),
  ).toEqual([
    { variable: 'SUBGRAPH_TOKN', suggestion: 'SUBGRAPH_TOKEN' },
    { variable: 'REDIS_URI', suggestion: 'REDIS_URL' },
  ]);
});

describe('A gateway warns, and starts,', () => {
  const warningsOf = (environment: Record<string, string>) =>
    findWarnings(environment, parseConfig(environment)).map(
      ({ message, fields, hint }) => `${message} ${fields.variable}: ${hint}`,
    );
  const SUBGRAPH_TOKEN = 'a-token-of-a-router';
  const ignored = 'neither the gateway nor its OpenTelemetry SDK reads it';

  test.each<[string, Record<string, string>, string[]]>([
    [
      'of variables of OpenTelemetry that nothing reads',
      {
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces',
        OTEL_METRICS_EXPORTER: 'otlp',
        OTEL_LOGS_EXPORTER: '',
      },
      [
        `Ignored environment variable OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ${ignored}`,
        `Ignored environment variable OTEL_METRICS_EXPORTER: ${ignored}`,
      ],
    ],
    [
      'of misspelled variables',
      { SERVICE_URI: 'http://a' },
      ['Unknown environment variable SERVICE_URI: did you mean SERVICE_URL?'],
    ],
    [
      'of a stop that takes longer than Kubernetes waits, because of a long call',
      { SERVICE_TIMEOUT_MS: '20000' },
      [
        'Conflicting environment variable SERVICE_TIMEOUT_MS: expected a stop of less than 30000 ms, after which Kubernetes kills by default, got 30000 ms (DRAIN_DELAY_MS + 1.4 × SERVICE_TIMEOUT_MS + 1000)',
      ],
    ],
    [
      'of a stop that takes longer than Kubernetes waits, because of a long delay',
      { DRAIN_DELAY_MS: '60000' },
      [
        'Conflicting environment variable DRAIN_DELAY_MS: expected a stop of less than 30000 ms, after which Kubernetes kills by default, got 75000 ms (DRAIN_DELAY_MS + 1.4 × SERVICE_TIMEOUT_MS + 1000)',
      ],
    ],
    ['but not of one that ends just before', { SERVICE_TIMEOUT_MS: '19995' }, []],
    [
      'of more representations than a body can hold',
      { SUBGRAPH_TOKEN, MAX_REST_CALLS: '263' },
      [
        'Conflicting environment variable MAX_BODY_BYTES: expected at least 263000 for MAX_REST_CALLS × 10 representations, got 262144',
      ],
    ],
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
        'Insecure environment variable ANONYMOUS_CLIENTS: everybody who reaches the port uses the secrets in SHIPMENT_PARAMETERS',
      ],
    ],
    ['but not where there are none', { ANONYMOUS_CLIENTS: 'allow' }, []],
    [
      'of a proxy for another scheme than that of the service',
      { SERVICE_URL: 'https://a', HTTP_PROXY: 'http://proxy' },
      [
        'Conflicting environment variable HTTP_PROXY: expected HTTPS_PROXY, as the service is called over https',
      ],
    ],
    [
      'of a proxy for https alone if the service is called over http',
      { SERVICE_URL: 'http://a', https_proxy: 'http://proxy' },
      [
        'Conflicting environment variable HTTPS_PROXY: expected HTTP_PROXY, as the service is called over http',
      ],
    ],
    [
      'but not of one that a second service uses',
      { SERVICE_URL: 'https://a', SHIPMENT_SERVICE_URL: 'http://b', HTTP_PROXY: 'http://proxy' },
      [],
    ],
    ['but not of a proxy without a service', { HTTP_PROXY: 'http://proxy' }, []],
    ['but not without routers', { MAX_REST_CALLS: '263' }, []],
    ['but not of sizes that fit', { SUBGRAPH_TOKEN, MAX_REST_CALLS: '262', MAX_BODY_BYTES: '262144' }, []],
  ])('%s', (_what, environment, warnings) => {
    expect(warningsOf(environment)).toEqual(warnings);
  });
});
