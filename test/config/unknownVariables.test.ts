import { describe, expect, test } from 'vitest';
import { findMisspelledVariables, findRemovedVariables } from '../../src/config/unknownVariables.js';

describe('An unknown environment variable is reported with the name that was probably meant if it has', () => {
  test.each([
    ['swapped letters', 'SERVICE_TIMOEUT_MS', 'SERVICE_TIMEOUT_MS'],
    ['a missing letter', 'SERVICE_TIMOUT_MS', 'SERVICE_TIMEOUT_MS'],
    ['an extra letter', 'MAX_TOKENSS', 'MAX_TOKENS'],
    ['a wrong letter', 'LOG_LEVER', 'LOG_LEVEL'],
    ['a missing underscore', 'RATELIMIT', 'RATE_LIMIT'],
    ['a hyphen for an underscore', 'RATE-LIMIT', 'RATE_LIMIT'],
    ['lower case', 'service_url', 'SERVICE_URL'],
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

describe('A variable of an earlier version is reported with what replaced it', () => {
  test('if it is set, itself or as a file', () => {
    const environment = { SERVICE_QUEUE_LIMIT: '5', PORT: '0', WEB_CONCURRENCY_FILE: '/run/secrets/count' };
    expect(findRemovedVariables(environment)).toEqual([
      { variable: 'SERVICE_QUEUE_LIMIT', replacement: 'SERVICE_CONNECTIONS × 2' },
      { variable: 'WEB_CONCURRENCY_FILE', replacement: 'one process per core' },
    ]);
    expect(findMisspelledVariables(environment)).toEqual([]);
  });

  test('and not if it is empty, which counts as unset', () => {
    expect(findRemovedVariables({ MAX_DEPTH: '', MAX_DIRECTIVES: undefined, MAX_ALIASES: '1' })).toEqual([]);
  });
});
