import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ConfigError, parseConfig, parseValues } from '../../src/config/config.js';
import { variableNames, type VariableName } from '../../src/config/variables.js';
import { writeKeysFile } from '../support/http/clientCredentials.js';
import { productionEnv } from '../support/process/minimalEnv.js';

type Env = Record<string, string | undefined>;

const production = { ...productionEnv, SERVICE_URL: 'https://service.example' };
const OPEN_SECRETS =
  'SHIPMENT_PARAMETERS: expected CLIENT_KEYS_FILE, CLIENT_JWKS_URL or SUBGRAPH_TOKEN when NODE_ENV is production, to know who uses these secrets, or else ANONYMOUS_CLIENTS=allow, for everybody who reaches the port';
const STORE_REQUIRED =
  'IDEMPOTENCY_STORE: required when NODE_ENV is production and REDIS_URL is unset: memory (for a single process) or off (rejects idempotency keys)';
const paths = variableNames.filter((name) => name.endsWith('_PATH'));
const shipmentPaths = paths.filter((name) => !name.startsWith('NOTIFICATION'));
/** The integer variables with their minimum and maximum. */
const integers: [name: VariableName, min: number, max: number][] = [
  ['PORT', 0, 65_535],
  ['SERVICE_TIMEOUT_MS', 1, 600_000],
  ['SERVICE_CONNECTIONS', 1, 10_000],
  ['DRAIN_DELAY_MS', 0, 600_000],
  ['METRICS_PORT', 0, 65_535],
];
const urls = ['SERVICE_URL', 'SHIPMENT_SERVICE_URL'] as const;

const OBJECT_EXPECTED = 'expected a JSON object, in single quotes where a shell reads it, and only there';
const URL_EXPECTED = 'expected an http or https URL without credentials, query or fragment';

describe('A variable that is not set has its default, given', () => {
  test.each<[string, Env]>([
    ['variables of other programs', { PATH: '/usr/bin', port: '1', SERVICE: 'x' }],
    ['undefined variables', { PORT: undefined, SERVICE_URL: undefined }],
    ['empty variables', Object.fromEntries(variableNames.map((name) => [name, '']))],
  ])('%s', (_description, env) => {
    expect(parseConfig(env)).toStrictEqual(parseConfig({}));
  });
});

describe('A variable with a valid value is read:', () => {
  /** Texts that are values themselves. */
  const same = (name: VariableName, ...texts: string[]) =>
    texts.map((text): [VariableName, string, string] => [name, text, text]);

  test.each<[VariableName, string, unknown]>([
    ...same('HOST', '::'),
    ...same('NODE_ENV', 'development', 'test'),
    ...integers.flatMap(([name, ...bounds]) =>
      bounds.map((bound): [VariableName, string, number] => [name, String(bound), bound]),
    ),
    ...urls.flatMap((name): [VariableName, string, URL][] => [
      [name, 'https://service.example', new URL('https://service.example/')],
      [name, 'http://127.0.0.1:4001/base/path/', new URL('http://127.0.0.1:4001/base/path/')],
    ]),
    ...(['FORWARD_TOKEN_TO_SHIPMENT_SERVICE', 'EXPLORER'] as const).flatMap((name) =>
      [true, false].map((value): [VariableName, string, boolean] => [name, String(value), value]),
    ),
    ...paths.flatMap((name) => same(name, '/v2/other')),
    ...same(
      'NOTIFICATION_PATH',
      ...['/v2/{notificationGuid}/definition', '/{notificationGuid}', '/v1/n-{notificationGuid}.json'],
      ...['/v2?notificationGuid={notificationGuid}', '/v2/a?tenant=5&id={notificationGuid}&kind=x,y'],
      ...[
        '/v2?tenant=5',
        '/',
        '/v1//double',
        "/a.b~c_d-e!$&'()*+,;=:@",
        '/with%20space',
        '/.../..x/.well-known',
      ],
    ),
    ...same('STOP_LEVEL_RECIPIENT_TYPE', 'stopLevel', 'stoplevel', 'STOPLEVEL'),
    ...same('DRIVER_PHONE_FORMAT', 'e164', 'digits', 'unchanged'),
    ...shipmentPaths.flatMap((name) => same(name, '/v2/other?', '/?')),
    ...same('LICENSE_PLATE_PARAMETER', 'Brand_LicensePlate2'),
    ...same('IDEMPOTENCY_STORE', 'memory', 'off'),
    ...same('ANONYMOUS_CLIENTS', 'allow', 'reject'),
    ...(['HTTP_PROXY', 'HTTPS_PROXY'] as const).flatMap((name): [VariableName, string, URL][] => [
      [name, 'http://proxy.example:3128', new URL('http://proxy.example:3128/')],
      [name, 'https://user:p%2Fw%40d@[::1]:8443/', new URL('https://user:p%2Fw%40d@[::1]:8443/')],
      [name, 'proxy.example:3128', new URL('http://proxy.example:3128/')],
      [name, 'user:password@10.0.0.1', new URL('http://user:password@10.0.0.1/')],
    ]),
    ['SHIPMENT_PARAMETERS', '{}', {}],
    [
      'SHIPMENT_PARAMETERS',
      '{"Key":"k","Nested":{"list":[1,null]}}',
      { Key: 'k', Nested: { list: [1, null] } },
    ],
    ['SERVICE_HEADERS', '{}', {}],
    [
      'SERVICE_HEADERS',
      '{"X-Api-Key":"a b\\tc é","User-Agent":"Acme/1.0","x!#$%&\'*+.^_`|~-":"","toString":"a"}',
      { 'x-api-key': 'a b\tc é', 'user-agent': 'Acme/1.0', "x!#$%&'*+.^_`|~-": '', tostring: 'a' },
    ],
    ['TRUST_PROXY', '0', 0],
    ['TRUST_PROXY', '10', 10],
    ['TRUST_PROXY', '10.0.0.0/8, 192.0.2.1,fd00::/8,::1', ['10.0.0.0/8', '192.0.2.1', 'fd00::/8', '::1']],
    ...same('SCHEMA_PREFIX', 'F', 'Freight', 'Freight_', 'F2_x'.padEnd(32, 'x')),
    ['SUBGRAPH_TOKEN', 'aZ09-._~+/!"#$%&', ['aZ09-._~+/!"#$%&']],
    ['SUBGRAPH_TOKEN', 'the-next-token,16 the-last-token,16', ['the-next-token,16', 'the-last-token,16']],
  ])('%s=%s', (name, text, value) => {
    expect(parseValues({ [name]: text })[name]).toStrictEqual(value);
  });
});

test.each<[text: string, what: string, primaryName: string | undefined, ...hosts: string[]]>([
  ['redis://redis', 'an endpoint', undefined, 'redis://redis'],
  [
    'rediss://u:p%2Fw@redis:6380/2?family=6',
    'an endpoint',
    undefined,
    'rediss://u:p%2Fw@redis:6380/2?family=6',
  ],
  ['redis+sentinel://host:26379,host2/a.1', 'Sentinels', 'a.1', 'redis://host:26379', 'redis://host2'],
  [
    'rediss+sentinel://u:p@[::1]:1,b/n?sentinelPassword=',
    'Sentinels',
    'n',
    'rediss://u:p@[::1]:1?sentinelPassword=',
    'rediss://u:p@b?sentinelPassword=',
  ],
])('REDIS_URL=%s names %s', (text, _what, primaryName, ...hosts) => {
  const { http, idempotency } = parseConfig({ REDIS_URL: text });
  const address = { hosts: hosts.map((host) => new URL(host)), primaryName };
  expect([http.redisUrl, idempotency.redisUrl]).toEqual([address, address]);
});

describe('The variables of proxies are read in lower case, too,', () => {
  test.each<[string, Env, { httpProxy: URL | undefined; isExcluded: boolean }]>([
    [
      'and that form first',
      { http_proxy: 'http://a', HTTP_PROXY: 'http://b', no_proxy: 'service', NO_PROXY: 'd' },
      { httpProxy: new URL('http://a'), isExcluded: true },
    ],
    [
      'unless it is empty',
      { http_proxy: '', HTTP_PROXY: 'http://b', no_proxy: '', NO_PROXY: 'service' },
      { httpProxy: new URL('http://b'), isExcluded: true },
    ],
    [
      'but not in a mixture',
      { Http_Proxy: 'http://a', No_Proxy: 'service' },
      { httpProxy: undefined, isExcluded: false },
    ],
  ])('%s', (_rule, env, values) => {
    const { httpProxy, noProxy = [] } = parseConfig(env).service;
    const isExcluded = noProxy.some((excludes) => excludes(new URL('http://service')));
    expect({ httpProxy, isExcluded }).toEqual(values);
  });
});

describe('Other values follow from a variable:', () => {
  test.each<[VariableName, string, object]>([
    [
      'SERVICE_TIMEOUT_MS',
      '7777',
      { service: { readBackTimeoutMs: 1556, circuitOpenMs: 3889 }, process: { shutdownGraceMs: 11_889 } },
    ],
    [
      'SERVICE_TIMEOUT_MS',
      '1',
      { service: { readBackTimeoutMs: 1, circuitOpenMs: 1 }, process: { shutdownGraceMs: 1003 } },
    ],
    ['SERVICE_CONNECTIONS', '3', { service: { queueLimit: 6, listConcurrency: 1 } }],
    ['EXPLORER', 'false', { telemetry: { exposeCalls: false } }],
    ['NOTIFICATIONS_PATH', '/v2/all/', { service: { notificationPath: '/v2/all/{notificationGuid}' } }],
    ['NOTIFICATIONS_PATH', '/', { service: { notificationPath: '/{notificationGuid}' } }],
  ])('%s=%s', (name, text, values) => {
    expect(parseConfig({ [name]: text })).toMatchObject(values);
  });

  test('a write with the reads before and after it always ends within the grace period', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 600_000 }), (timeoutMs) => {
        const { service, process } = parseConfig({ SERVICE_TIMEOUT_MS: String(timeoutMs) });
        expect(service.timeoutMs + 2 * service.readBackTimeoutMs).toBeLessThan(process.shutdownGraceMs);
      }),
    );
  });
});

describe('Without IDEMPOTENCY_STORE, keys are stored', () => {
  test.each<[store: string, situation: string, Env]>([
    ['redis', 'a REDIS_URL', { REDIS_URL: 'redis://127.0.0.1' }],
    [
      'redis',
      'a REDIS_URL in production',
      { ...production, IDEMPOTENCY_STORE: '', REDIS_URL: 'rediss://127.0.0.1' },
    ],
    ['memory', 'no REDIS_URL outside of production', { NODE_ENV: 'test' }],
  ])('in %s with %s', (store, _situation, env) => {
    expect(parseConfig(env).idempotency.kind).toBe(store);
  });
});

test('only outside of production, by default, the explorer and REST calls in responses are enabled', () => {
  const enabled = (env: Env) => {
    const { http, graphql, telemetry } = parseConfig(env);
    return [http.explorerEnabled, graphql.explorerEnabled, telemetry.exposeCalls];
  };
  expect(enabled({})).toEqual([true, true, true]);
  expect(enabled(production)).toEqual([false, false, false]);
  expect(enabled({ ...production, EXPLORER: 'true' })).toEqual([true, true, true]);
});

describe('An invalid value is reported with the expected and the actual value:', () => {
  const notIntegers = ['many', '-1', '1.5', '1e3', '0x10', ' 1', '1 ', '+1', '١', '1234567890123456'];
  const notUrls = [
    ...['service.example', 'localhost:4001', '/v1', 'ftp://service.example', 'file:///etc/hosts', 'https://'],
    ...['https://service.example?key=value', 'https://service.example/#part'],
    ...['https://user@service.example', 'https://:password@service.example'],
  ];
  const PATH = 'expected a path such as /v1/customnotifications/{notificationGuid}';
  // oxfmt-ignore
  const notPaths = [
    'v1/x', '//host/x', '/\\host/x', '/a/../b', '/.', '/a/..', '/a/%2e%2E/b', '/{guid}', '/{notificationGuid', 'https://service.example/x',
    '/a#b', '/a b', '/a\n', '/ü',
  ];
  const notQueries = ['?a=b', '/a?', '/a/..?b=c', '/a?b=c/d', '/a?b=c?d', '/a?b=c#d', "/a?b='c"];
  const withoutPlaceholder = paths.filter((name) => name !== 'NOTIFICATION_PATH');
  const QUERY_AT_END =
    'expected a path with a question mark only at its end, if its parameters are in the query';

  type Row = [name: string, text: string, problem: string];
  /** Rows for texts whose problem names what was expected. */
  const hidden = (name: string, expected: string, ...texts: string[]) =>
    texts.map((text): Row => [name, text, expected]);
  /** The same for texts that it quotes, too. */
  const quoted = (name: string, expected: string, ...texts: string[]) =>
    texts.map((text): Row => [name, text, `${expected}, got ${JSON.stringify(text)}`]);

  test.each<Row>([
    ...integers.flatMap(([name, min, max]) => {
      const expected = `expected an integer from ${min} to ${max}`;
      const outside = [max + 1, ...(min === 1 ? [0] : [])];
      return [
        ...quoted(name, expected, ...notIntegers),
        ...outside.map((number): Row => [name, String(number), `${expected}, got ${number}`]),
      ];
    }),
    ...urls.flatMap((name) => hidden(name, URL_EXPECTED, ...notUrls)),
    ...paths.flatMap((name) => quoted(name, PATH, ...notPaths)),
    ...['NOTIFICATION_PATH', 'NOTIFICATIONS_PATH'].flatMap((name) => quoted(name, PATH, ...notQueries)),
    ...withoutPlaceholder.flatMap((name) =>
      quoted(name, 'expected a path without a placeholder', '/v1/{notificationGuid}'),
    ),
    ...quoted('NOTIFICATIONS_PATH', 'expected a path without a query', '/a?b=c'),
    ...shipmentPaths.flatMap((name) =>
      quoted(name, QUERY_AT_END, '?a=b', '/a??', '/a?b=c', '/a?b=c?', '/a?\n'),
    ),
    ...quoted('FORWARD_TOKEN_TO_SHIPMENT_SERVICE', 'expected true or false', '1', 'TRUE', 'yes'),
    ...quoted('STOP_LEVEL_RECIPIENT_TYPE', 'expected stopLevel in any letter case', 'stop'),
    ...quoted('DRIVER_PHONE_FORMAT', 'expected e164, digits or unchanged', 'E164'),
    ...quoted(
      'LICENSE_PLATE_PARAMETER',
      'expected a name of letters, digits and underscores',
      ...['Brand-LicensePlate', 'two words', 'ü', 'x\n'],
    ),
    ...hidden(
      'SUBGRAPH_TOKEN',
      'expected at least 16 visible ASCII characters, or two such secrets with a space between them',
      ...['fifteen-letters', 'sixteen letters!', 'sixteen\tletters!', 'sixteen-létters!'],
    ),
    ...quoted(
      'SCHEMA_PREFIX',
      'expected a prefix of at most 32 letters, digits and single underscores that starts with a letter',
      ...['_Freight', '2Freight', 'Freight-', 'Freight__', 'F\u00E4', 'F\n', 'x'.repeat(33)],
    ),
    ...quoted('RATE_LIMIT', 'expected a rate such as 600/60s', '600', '0/60s', '600/60', '600/0s'),
    ...quoted(
      'TRUST_PROXY',
      'expected an integer from 0 to 10, or IP addresses and networks such as 10.0.0.0/8',
      ...['11', '-1', 'true', 'loopback', '10.0.0.0/33', '10.0.0', '10.0.0.1,', 'fd00::/129'],
    ),
    ...hidden(
      'REDIS_URL',
      'expected a URL such as redis://user:password@redis:6379/0 or redis+sentinel://user:password@host:26379,host2:26379/name (rediss for TLS), with a percent-encoded password',
      ...['redis:canary@redis:6379', 'redis:/:canary@redis:6379', 'redis://user:1234/canary@redis:6379'],
      ...['rediss://default:0/can+ary==@redis:6380', 'redis+sentinel://canary@host:26379'],
      ...['redis+sentinel://canary@host:26379/', 'redis+sentinel://canary@/name'],
      ...['redis+sentinel://user:can@ary@host/name', 'redis+sentinel://host,,canary/name'],
      ...['redis+sentinel:canary', 'redis+sentinel://host/can/ary', 'http://canary'],
    ),
    ...(['HTTP_PROXY', 'HTTPS_PROXY'] as const).flatMap((name) =>
      hidden(
        name,
        'expected an http or https proxy such as http://user:password@proxy.example.com:3128, with a percent-encoded password',
        ...['socks5://a', 'ftp://proxy', 'http://', 'http://proxy:port', 'http://proxy/path', 'proxy/path'],
        ...['http://proxy?a=b', 'http://proxy#a', 'http://user:1/a@proxy', 'http://user:%zz@proxy', 'a b'],
      ),
    ),
    ...hidden(
      'REDIS_URL',
      'expected redis:// or redis+sentinel://, got a Cluster: use one Redis, or a primary with replicas, without cluster mode',
      ...['redis+cluster://canary@', 'redis+cluster://host?canary', 'redis+cluster://user:can/ary@host'],
    ),
    ...quoted('NODE_ENV', 'expected production, development or test', 'prod', 'Production', 'staging'),
    ...quoted('ANONYMOUS_CLIENTS', 'expected allow or reject', 'true', 'deny'),
    ...quoted('IDEMPOTENCY_STORE', 'expected redis, memory or off', 'Redis', 'none', 'true'),
    ...hidden(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'expected a URL that starts with http:// or https://',
      'localhost:4318',
    ),
    ...quoted(
      'CORS_ORIGINS',
      'expected origins such as https://app.example.com, separated by commas',
      ...['https://app.example.com/', 'null', '*', 'https://*', 'https://*.', 'https://a.*.example.com'],
      ...['https://*.*.example.com', 'https://app*.example.com', 'https://user@app.example.com'],
      ...['capacitor://localhost/', 'capacitor://', 'file:///app'],
    ),
    ...['10.0.0.0/33', '192.168.*', '"localhost"', 'http://service.example', 'a;b', 'service:http'].map(
      (entry): Row => [
        'NO_PROXY',
        `.svc, ${entry}`,
        `expected names, IP addresses and networks, separated by commas or spaces, got ${JSON.stringify(entry)}`,
      ],
    ),
    ...hidden('SHIPMENT_PARAMETERS', OBJECT_EXPECTED, '{', 'null', '[]', '"text"', '1'),
  ])('%s=%s', (name, text, problem) => {
    expect(problemsOf({ [name]: text })).toEqual([`${name}: ${problem}`]);
  });
});

describe('The file of client keys', () => {
  const digest = 'ab'.repeat(32);
  const LINE = 'expected a name, a space, and the SHA-256 of a key in hexadecimal';

  test('has a line for each key: a client may have several while one replaces another', () => {
    const text = `# Keys of 2026\r\n\n warehouse\t${digest}\nwarehouse  ${'CD'.repeat(32)}  \n0.a_b-c ${'01'.repeat(32)}`;
    const path = writeKeysFile(text);
    expect(parseConfig({ CLIENT_KEYS_FILE: path }).http.clientKeysFile).toEqual({
      path,
      keys: [
        { name: 'warehouse', digest: Buffer.from(digest, 'hex') },
        { name: 'warehouse', digest: Buffer.from('cd'.repeat(32), 'hex') },
        { name: '0.a_b-c', digest: Buffer.from('01'.repeat(32), 'hex') },
      ],
    });
  });

  test.each<[string, string, string]>([
    [
      'each invalid line, with its number and without its content',
      `warehouse ${digest}\nwarehouse 5ecret\n# 5ecret\n${digest} warehouse\n5ecret\n_JWT ${digest}\na b ${digest}`,
      [2, 4, 5, 6, 7].map((line) => `line ${line}: ${LINE}`).join('; '),
    ],
    [
      'a key that two lines have, in any letter case',
      `warehouse ${digest}\n\napp ${digest.toUpperCase()}`,
      'line 3: expected a unique key, got the one of line 1',
    ],
    ['nothing but comments', '# none\n', 'expected at least one key, got none'],
    [
      'too many keys',
      Array.from({ length: 1001 }, (_, index) => `a ${String(index).padStart(64, '0')}`).join('\n'),
      'expected at most 1000 keys, got 1001',
    ],
    ['too many bytes', '#'.repeat(16_777_217), 'expected a file of at most 16777216 bytes, got 16777217'],
  ])('is reported for %s', (_what, text, problem) => {
    expect(problemsOf({ PORT: 'x', CLIENT_KEYS_FILE: writeKeysFile(text) })).toEqual([
      'PORT: expected an integer from 0 to 65535, got "x"',
      `CLIENT_KEYS_FILE: ${problem}`,
    ]);
  });

  test('is reported if it cannot be read', () => {
    expect(problemsOf({ CLIENT_KEYS_FILE: '/none/keys' })).toEqual([
      'CLIENT_KEYS_FILE: expected a readable file, got /none/keys, which does not exist (ENOENT)',
    ]);
    expect(problemsOf({ CLIENT_KEYS_FILE: '/' })).toEqual([
      'CLIENT_KEYS_FILE: expected a regular file, got /, which is not one',
    ]);
  });
});

describe('Conflicting variables are reported:', () => {
  const jwks = {
    CLIENT_JWKS_URL: 'https://issuer.example/jwks?p=policy',
    CLIENT_JWT_ISSUER: 'https://issuer.example',
    CLIENT_JWT_AUDIENCE: 'gateway',
  };
  const reservedName = (name: string) =>
    `SHIPMENT_PARAMETERS: "${name}": expected a name that is not reserved for a documented parameter`;
  const notForQuery = (name: string) =>
    `SHIPMENT_PARAMETERS: "${name}": expected a query parameter: a string, a number, a boolean or a list of these`;

  test.each<[string, Env, string[]]>([
    ['production without a service', productionEnv, ['SERVICE_URL: required when NODE_ENV is production']],
    [
      'secrets that everybody would use in production',
      { ...production, SHIPMENT_PARAMETERS: '{"Key":"5ecret"}' },
      [OPEN_SECRETS],
    ],
    ...['CLIENT_JWT_ISSUER', 'CLIENT_JWT_AUDIENCE'].map((name): [string, Env, string[]] => [
      `a key set without ${name}`,
      { ...jwks, [name]: '' },
      [`${name}: required with CLIENT_JWKS_URL`],
    ]),
    [
      'claims of JWTs without a key set',
      { ...jwks, CLIENT_JWKS_URL: '' },
      [
        'CLIENT_JWKS_URL: required with CLIENT_JWT_ISSUER',
        'CLIENT_JWKS_URL: required with CLIENT_JWT_AUDIENCE',
      ],
    ],
    [
      'production that does not say where idempotency keys are stored',
      { ...production, IDEMPOTENCY_STORE: '' },
      [STORE_REQUIRED],
    ],
    ...['memory', 'off'].map((store): [string, Env, string[]] => [
      `Redis with neither idempotency keys in it (${store}) nor a rate limit`,
      { REDIS_URL: 'redis://127.0.0.1', IDEMPOTENCY_STORE: store },
      [
        `REDIS_URL: expected IDEMPOTENCY_STORE=redis or RATE_LIMIT, which use it, got IDEMPOTENCY_STORE=${store} alone`,
      ],
    ]),
    [
      'idempotency keys and their replicas in a Redis that is not set',
      { IDEMPOTENCY_STORE: 'redis', REDIS_REPLICAS: '1' },
      ['IDEMPOTENCY_STORE: expected a REDIS_URL for redis, got none'],
    ],
    [
      'replicas without Redis',
      { REDIS_REPLICAS: '1' },
      ['REDIS_REPLICAS: expected idempotency keys in Redis, got IDEMPOTENCY_STORE=memory'],
    ],
    [
      'replicas without idempotency keys in Redis',
      {
        REDIS_REPLICAS: '2',
        REDIS_URL: 'redis://127.0.0.1',
        RATE_LIMIT: '600/60s',
        IDEMPOTENCY_STORE: 'off',
      },
      ['REDIS_REPLICAS: expected idempotency keys in Redis, got IDEMPOTENCY_STORE=off'],
    ],
    [
      'a license-plate parameter with the name of another parameter, in any letter case',
      { LICENSE_PLATE_PARAMETER: 'carrierScac' },
      ['LICENSE_PLATE_PARAMETER: expected a unique parameter name, got "carrierScac"'],
    ],
    [
      'fixed parameters with documented names, in any letter case',
      {
        SHIPMENT_PARAMETERS:
          '{"DriverPhoneNumber":"1","EXCEPTIONGUID":"2","portalLicensePlate":"3","Key":"4"}',
      },
      [reservedName('DriverPhoneNumber'), reservedName('EXCEPTIONGUID'), reservedName('portalLicensePlate')],
    ],
    [
      'a fixed parameter with the configured name of the license plate',
      { LICENSE_PLATE_PARAMETER: 'BrandPlate', SHIPMENT_PARAMETERS: '{"brandplate":"1"}' },
      [reservedName('brandplate')],
    ],
    [
      'fixed parameters with documented names in other characters',
      { SHIPMENT_PARAMETERS: '{"Carr\u0131erMC":"1","\uff23arrierDOT ":"2","Exception\u200bGuid":"3"}' },
      ['Carr\u0131erMC', '\uff23arrierDOT ', 'Exception\u200bGuid'].map(reservedName),
    ],
    [
      'fixed parameters that clients could not have either',
      { SHIPMENT_PARAMETERS: JSON.stringify({ '': 1, 'a\u0001': 2, ['x'.repeat(101)]: 3 }) },
      [
        'SHIPMENT_PARAMETERS: "": expected a non-empty parameter name',
        'SHIPMENT_PARAMETERS: "a\\u0001": expected a parameter name without control characters',
        `SHIPMENT_PARAMETERS: "${'x'.repeat(101)}": expected a parameter name of at most 100 characters, got 101`,
      ],
    ],
    [
      'a path that leaves no room for identifiers',
      {
        SERVICE_URL: `https://service.example/${'x'.repeat(1024)}`,
        NOTIFICATION_PATH: `/${'x'.repeat(1024)}`,
      },
      [
        'SERVICE_URL: expected a URL with a path of at most 1024 characters',
        'NOTIFICATION_PATH: expected a path of at most 1024 characters and 2 placeholders',
      ],
    ],
    ...shipmentPaths.map((name): [string, Env, string[]] => [
      `fixed parameters that do not fit the query of ${name}`,
      { [name]: '/a?', SHIPMENT_PARAMETERS: '{"A":{},"B":null,"C":[[]],"D":"text","E":[1,true]}' },
      [notForQuery('A'), notForQuery('B'), notForQuery('C')],
    ]),
  ])('%s', (_name, env, problems) => {
    expect(problemsOf(env)).toEqual(problems);
  });

  test.each<[string, Env]>([
    ['production with a service', production],
    [
      'a fixed parameter with the documented name of the license plate if another name is configured',
      { LICENSE_PLATE_PARAMETER: 'BrandPlate', SHIPMENT_PARAMETERS: '{"PortalLicensePlate":"1"}' },
    ],
    ...[jwks, { SUBGRAPH_TOKEN: 'a-token-of-16-characters' }, { ANONYMOUS_CLIENTS: 'allow' }].map(
      (env): [string, Env] => [
        `secrets in production with ${Object.keys(env)[0]}`,
        { ...production, SHIPMENT_PARAMETERS: '{"Key":"k"}', ...env },
      ],
    ),
    ['no secrets in production', { ...production, SHIPMENT_PARAMETERS: '{}' }],
    [
      'Redis for the rate limit alone',
      { REDIS_URL: 'redis://127.0.0.1', RATE_LIMIT: '600/60s', IDEMPOTENCY_STORE: 'off' },
    ],
    ['nested fixed parameters in bodies', { SHIPMENT_PARAMETERS: '{"A":{"b":[null]}}' }],
  ])('but not %s', (_description, env) => {
    expect(problemsOf(env)).toEqual([]);
  });
});

test('reports all problems at once, invalid values before conflicts', () => {
  const env = {
    NODE_ENV: 'production',
    PORT: 'http',
    SHIPMENT_SERVICE_URL: 'ftp://service.example',
    TRACKING_PATH: '/a?',
    EXCEPTION_PATH: '/a?b=c',
    LICENSE_PLATE_PARAMETER: 'CarrierMC',
    SHIPMENT_PARAMETERS: '{"CARRIERMC":"1","Nested":{}}',
  };
  const problems = [
    'PORT: expected an integer from 0 to 65535, got "http"',
    `SHIPMENT_SERVICE_URL: ${URL_EXPECTED}`,
    'EXCEPTION_PATH: expected a path with a question mark only at its end, if its parameters are in the query, got "/a?b=c"',
    'SERVICE_URL: required when NODE_ENV is production',
    OPEN_SECRETS,
    STORE_REQUIRED,
    'LICENSE_PLATE_PARAMETER: expected a unique parameter name, got "CarrierMC"',
    'SHIPMENT_PARAMETERS: "CARRIERMC": expected a name that is not reserved for a documented parameter',
    'SHIPMENT_PARAMETERS: "Nested": expected a query parameter: a string, a number, a boolean or a list of these',
  ];
  const error = configErrorOf(env);
  expect(error?.problems).toEqual(problems);
  expect(error?.message).toBe(
    `Invalid configuration (9 problems):\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
  );
});

test('reports problems of files first, and no conflicts, because values are missing', () => {
  const env = { NODE_ENV: 'production', IDEMPOTENCY_STORE: 'redis', PORT: 'http' };
  const fileProblem = 'REDIS_URL_FILE: expected a file with a value, got an empty one';
  const files = { files: new Map(), problems: [fileProblem] };
  expect(() => parseConfig(env, files)).toThrow(
    new ConfigError([fileProblem, 'PORT: expected an integer from 0 to 65535, got "http"']),
  );
  expect(() => parseConfig({}, files)).toThrow(new ConfigError([fileProblem]));
});

test('reports every fixed header that cannot be sent', () => {
  const RESERVED = 'expected a header that the gateway does not set itself and HTTP does not reserve';
  const NAME = 'expected a name that HTTP permits';
  const VALUE =
    'expected a value that HTTP permits: no line ends, no white space around it, no characters beyond Latin-1';
  // oxfmt-ignore
  const reserved = [
    'Authorization', 'Content-Type', 'Content-Length', 'Accept', 'Accept-Encoding', 'Host', 'Cache-Control', 'X-Request-Id', 'traceparent',
    'tracestate', 'Idempotency-Key', 'Connection', 'Keep-Alive', 'Transfer-Encoding', 'Upgrade', 'TE', 'Trailer', 'Expect',
    'Proxy-Authorization', 'Proxy-Connection', 'PROXY-anything',
  ];
  const headers = {
    ...Object.fromEntries(reserved.map((name) => [name, 'a'])),
    'X Key': 'a',
    'X-Key:': 'a',
    'X-Bücher': 'a',
    '': 'a',
    Number: 1,
    List: ['a'],
    Nothing: null,
    'X-Key': 'a',
    'x-key': 'b',
    'Line-End': 'a\r\nb: c',
    Zero: 'a\0',
    Front: ' a',
    Back: 'a\t',
    Euro: '€',
  };
  expect(problemsOf({ SERVICE_HEADERS: JSON.stringify(headers) })).toEqual(
    [
      ...reserved.map((name) => [name, RESERVED]),
      ...['X Key', 'X-Key:', 'X-Bücher', ''].map((name) => [name, NAME]),
      ...['Number', 'List', 'Nothing'].map((name) => [name, 'expected a string']),
      ['x-key', 'expected each name once'],
      ...['Line-End', 'Zero', 'Front', 'Back', 'Euro'].map((name) => [name, VALUE]),
    ].map(([name, problem]) => `SERVICE_HEADERS: ${JSON.stringify(name)}: ${problem}`),
  );
  for (const text of ['[]', '"a"', 'X-Key: a', '{"X-Key":"a"', '{X-Key: a}', `'{"X-Key":"a"}'`])
    expect(problemsOf({ SERVICE_HEADERS: text })).toEqual([`SERVICE_HEADERS: ${OBJECT_EXPECTED}`]);
});

test('reports no conflicts of a variable with an invalid value', () => {
  expect(problemsOf({ TRACKING_PATH: '/{notificationGuid}?', SHIPMENT_PARAMETERS: '{"Nested":{}}' })).toEqual(
    ['TRACKING_PATH: expected a path without a placeholder, got "/{notificationGuid}"'],
  );
  expect(problemsOf({ ...productionEnv, SERVICE_URL: 'service' })).toEqual([`SERVICE_URL: ${URL_EXPECTED}`]);
});

describe('No error reveals a secret:', () => {
  test.each<[string, Env]>([
    ['a password in a URL', { SERVICE_URL: 'https://user:5ecret@service.example' }],
    ['a key in the query of a URL', { SHIPMENT_SERVICE_URL: 'https://service.example/?key=5ecret' }],
    ['credentials in a URL of another scheme', { SHIPMENT_SERVICE_URL: 'ftp://user:5ecret@service.example' }],
    ['credentials in an invalid URL', { SERVICE_URL: 'user:5ecret@service.example:port' }],
    ['a password in the URL of a key set', { CLIENT_JWKS_URL: 'https://user:5ecret@issuer.example' }],
    ['a password of a SOCKS proxy', { HTTPS_PROXY: 'socks5://user:5ecret@proxy.example' }],
    ['an unencoded password of a proxy', { HTTP_PROXY: 'http://user:a/5ecret@proxy.example:3128' }],
    ['a password of a proxy with a stray percent sign', { https_proxy: 'http://user:5ecret%@proxy.example' }],
    ['a token that is too short', { SUBGRAPH_TOKEN: '5ecret' }],
    ['three tokens', { SUBGRAPH_TOKEN: Array(3).fill('5ecret-of-some-length').join(' ') }],
    ['truncated fixed headers', { SERVICE_HEADERS: '{"X-Key":"5ecret"' }],
    ['a fixed header with a reserved name', { SERVICE_HEADERS: '{"Authorization":"5ecret"}' }],
    ['a fixed header with a line end', { SERVICE_HEADERS: '{"X-Key":"5ecret\\n"}' }],
    ['a fixed header that is no text', { SERVICE_HEADERS: '{"X-Key":["5ecret"]}' }],
    ['truncated fixed parameters', { SHIPMENT_PARAMETERS: '{"Key":"5ecret"' }],
    ['fixed parameters with a stray character', { SHIPMENT_PARAMETERS: '{"Key":"5ecret"}5ecret' }],
    ['fixed parameters that are an array', { SHIPMENT_PARAMETERS: '["5ecret"]' }],
    ['a fixed parameter with a reserved name', { SHIPMENT_PARAMETERS: '{"CarrierMC":"5ecret"}' }],
    [
      'a fixed parameter that does not fit a query',
      { SHIPMENT_PARAMETERS: '{"Key":{"deep":"5ecret"}}', TRACKING_PATH: '/a?' },
    ],
    [
      'valid fixed parameters and an invalid variable',
      { SHIPMENT_PARAMETERS: '{"Key":"5ecret"}', PORT: 'x' },
    ],
  ])('%s', (_name, env) => {
    const error = configErrorOf(env);
    expect(error).toBeInstanceOf(ConfigError);
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain('5ecret');
  });
});

function configErrorOf(env: Env): ConfigError | undefined {
  try {
    parseConfig(env);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

function problemsOf(env: Env): readonly string[] {
  return configErrorOf(env)?.problems ?? [];
}
