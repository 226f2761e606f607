import { describe, expect, test } from 'vitest';
import { parseValues } from '../../src/config/config.js';
import { formatConfig, variables } from '../../src/config/variables.js';

interface Variable {
  value: unknown;
  source: string;
  file?: string;
}

function effective(environment: Record<string, string>, files: [variable: string, path: string][] = []) {
  const given = { environment, files: new Map(files), problems: [] };
  return JSON.parse(formatConfig(parseValues(environment), given)) as Record<string, Variable>;
}

describe('The effective configuration', () => {
  test('has every variable in a line', () => {
    const lines = formatConfig(parseValues({}), { environment: {}, files: new Map(), problems: [] }).split(
      '\n',
    );
    expect(lines.length).toBe(Object.keys(variables).length + 3);
    expect(lines[3]).toBe('  "PORT": {"value":4000,"source":"default"},');
  });

  test('says where each value is from', () => {
    const environment = {
      PORT: '0',
      EXPLORER: 'false',
      RATE_LIMIT: '600/60s',
      SHIPMENT_PARAMETERS: '{"Key":"5ecret"}',
      SERVICE_CONNECTIONS: '',
    };
    expect(effective(environment, [['SHIPMENT_PARAMETERS', '/run/secrets/parameters']])).toMatchObject({
      PORT: { value: 0, source: 'environment' },
      EXPLORER: { value: false, source: 'environment' },
      RATE_LIMIT: { value: '600/60s', source: 'environment' },
      SHIPMENT_PARAMETERS: { value: '[hidden]', source: 'file', file: '/run/secrets/parameters' },
      SERVICE_CONNECTIONS: { value: 128, source: 'default' },
      SERVICE_HEADERS: { value: '{}', source: 'default' },
      SERVICE_URL: { value: null, source: 'default' },
    });
    expect(
      effective({ https_proxy: 'http://a:1', HTTPS_PROXY: 'http://b:1', NO_PROXY: '.test' }),
    ).toMatchObject({
      HTTPS_PROXY: { value: 'http://a:1/', source: 'environment' },
      NO_PROXY: { value: '.test', source: 'environment' },
    });
  });

  test('shows the path of the manifest, and the origins as they are given', () => {
    const manifest = 'test/http/manifests/apollo.json';
    const origins = 'https://app.example.com, https://www.example.com';
    expect(effective({ OPERATIONS_MANIFEST: manifest, CORS_ORIGINS: origins })).toMatchObject({
      OPERATIONS_MANIFEST: { value: manifest, source: 'environment' },
      CORS_ORIGINS: { value: origins, source: 'environment' },
    });
  });

  test.each([
    ['REDIS_URL', 'redis://user:5ecret@redis:6379/1', 'redis://[hidden]@redis:6379/1'],
    ['REDIS_URL', 'redis://5ecret@redis', 'redis://[hidden]@redis'],
    ['REDIS_URL', 'rediss://redis?password=5ecret', 'rediss://redis?[hidden]'],
    ['REDIS_URL', 'redis://user:a@5ecret@redis', 'redis://[hidden]@redis'],
    [
      'REDIS_URL',
      'redis+sentinel://user:5ecret@host:26379,host2:26379/name?sentinelPassword=5ecret',
      'redis+sentinel://[hidden]@host:26379,host2:26379/name?[hidden]',
    ],
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'https://u:5ecret@otel.example/x#5ecret',
      'https://[hidden]@otel.example/x?[hidden]',
    ],
    ['REDIS_URL', 'redis://redis:6379', 'redis://redis:6379'],
    ['HTTPS_PROXY', 'http://user:5ecret@proxy.example:3128', 'http://[hidden]@proxy.example:3128/'],
    ['HTTP_PROXY', '5ecret@proxy.example', 'http://[hidden]@proxy.example/'],
    ['SUBGRAPH_TOKEN', '5ecret-of-16-characters', '[hidden]'],
    ['SHIPMENT_PARAMETERS', '{"Key":"5ecret"}', '[hidden]'],
    ['SERVICE_HEADERS', '{"X-Key":"5ecret"}', '[hidden]'],
  ])('hides what is secret of %s=%s', (name, text, value) => {
    const config = effective({ [name]: text });
    expect(config[name]).toEqual({ value, source: 'environment' });
    expect(JSON.stringify(config)).not.toContain('5ecret');
  });
});
