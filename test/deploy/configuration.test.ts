import { describe, expect, test } from 'vitest';
import { LARGE_BYTES } from '../../src/transport/largeResponses.js';
import { parse } from 'yaml';
import { gatewayConfig } from '../../deploy/supergraph/hive/gateway.config.js';
import { parseConfig, type Config } from '../../src/config/config.js';
import { variables } from '../../src/config/variables.js';
import { QUIET_PERIOD_MS } from '../../src/http/connections.js';
import { composeProblems, dockerfileProblems } from '../support/deploy/deploymentProblems.js';
import {
  bytesOf,
  dockerfileInstruction,
  nginxDirective,
  readComposeServices,
  readComposeSubnet,
  readReplicas,
  readText,
  root,
} from '../support/deploy/deployment.js';
import {
  buildManifests,
  containerEnvironment,
  findManifest,
  OVERLAYS,
  podTemplateOf,
} from '../support/deploy/kubernetes.js';
import { keyLine, writeKeysFile } from '../support/http/clientCredentials.js';

const keysFile = writeKeysFile(keyLine('app', 'key'), (remove) => process.once('exit', remove));

/** Variables that the operator sets for the Compose file. */
const operatorEnv: Record<string, string> = {
  SERVICE_URL: 'https://freight.example.com',
  SHIPMENT_PARAMETERS: '{"key":"value"}',
  CLIENT_KEYS_FILE: keysFile,
  CORS_ORIGINS: 'https://app.example.com',
};

/** Contents of the Secret of the full overlay. */
const secrets: Record<string, string> = {
  REDIS_URL: 'redis://:password@redis:6379',
  SHIPMENT_PARAMETERS: '{"key":"value"}',
  CLIENT_KEYS: 'a file',
  SUBGRAPH_TOKEN: 'a-subgraph-token-of-thirty-two-characters',
};

const imageEnv = readAssignments(dockerfileInstruction('ENV'));
const replicas = readReplicas();
const [composeEnv = {}, ...otherReplicaEnvs] = replicas.map(({ environment }) => ({
  ...imageEnv,
  ...Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, interpolate(String(value))]),
  ),
}));
/** The settings of the systemd unit, for instance 1. */
const unit = Object.fromEntries(
  [
    ...readText('deploy/systemd/shipment-graphql-gateway@.service')
      .replaceAll('%i', '1')
      .matchAll(/^(\w+)=(.*)$/gm),
  ].map(([, name = '', value = '']) => [name, value]),
);
const unitEnv = { ...operatorEnv, REDIS_URL: 'redis://redis:6379', ...readAssignments(unit['Environment']) };
/** The environment of each overlay, with the contents of mounted secrets. */
const [envWithoutKeys = {}, fullEnv = {}] = OVERLAYS.map((overlay) => ({
  ...imageEnv,
  ...Object.fromEntries(
    Object.entries(containerEnvironment(buildManifests(overlay))).map(([name, value]) =>
      name.endsWith('_FILE') ? readSecret(name.slice(0, -'_FILE'.length), value) : [name, value],
    ),
  ),
}));
const httpRoute = findManifest(buildManifests('overlays/full'), 'HTTPRoute');
const pod = podTemplateOf(buildManifests('overlays/full')).spec;

test('the Dockerfile and the Compose file are valid by the rules of the programs that read them', () => {
  expect(dockerfileProblems(readText('Dockerfile'))).toEqual([]);
  expect(composeProblems(`${root}deploy/compose.yaml`)).toEqual([]);
});

test('the files agree on one image, tagged with the package version', () => {
  const { version } = JSON.parse(readText('package.json')) as { version: string };
  const image = `shipment-graphql-gateway:${version}`;
  const images = [
    ...OVERLAYS.map((overlay) => podTemplateOf(buildManifests(overlay)).spec.containers[0].image),
  ];
  expect(images).toEqual(OVERLAYS.map(() => `registry.example.com/${image}`));
  expect(replicas.map((replica) => replica.image)).toEqual([image, image]);
});

describe('the environment', () => {
  test('is the same for both replicas', () => {
    expect(otherReplicaEnvs).toEqual([composeEnv]);
  });

  test.each([
    ['of the Compose file', composeEnv],
    ['of the overlay without keys', envWithoutKeys],
    ['of the full overlay', fullEnv],
    ['of the systemd unit', unitEnv],
  ])('%s has only valid values of variables that the gateway reads', (_of, environment) => {
    expect(() => parseConfig(environment)).not.toThrow();
    expect(Object.keys(environment).filter((name) => !(name in variables))).toEqual([]);
  });

  test('uses the ports that the Dockerfile, Kubernetes and nginx expect', () => {
    const [http, metrics] = [imageEnv['PORT'], imageEnv['METRICS_PORT']];
    expect(dockerfileInstruction('EXPOSE')).toBe(`${http} ${metrics}`);
    expect(pod.containers[0].ports).toEqual([
      { name: 'http', containerPort: Number(http) },
      { name: 'metrics', containerPort: Number(metrics) },
    ]);
    const ports = readText('deploy/nginx.conf').match(/(?<=server gateway-\d:)\d+/g);
    expect(new Set(ports)).toEqual(new Set([http]));
  });

  test('has nginx take the address of a client from a TLS terminator on the host or in a container', () => {
    expect(nginxDirective('set_real_ip_from')).toBe(readComposeSubnet());
    expect(composeEnv['TRUST_PROXY']).toBe('1');
  });
});

test('in Compose, the proxy is in no network of Redis, and the replicas are in both', () => {
  const networks = Object.entries(readComposeServices()).map(([name, service]) => [
    name,
    [service.networks ?? ['default']]
      .flat()
      .flatMap((each) => (typeof each === 'string' ? each : Object.keys(each))),
  ]);
  expect(Object.fromEntries(networks)).toEqual({
    'gateway-1': ['default', 'store'],
    'gateway-2': ['default', 'store'],
    nginx: ['default'],
    redis: ['store'],
  });
});

const MEBIBYTE = 1_048_576;
/** The arithmetic of docs/deployment.md: memory of an idle process, and what each byte of a request and of a response takes. */
const IDLE_BYTES = 100 * MEBIBYTE;
const BYTES_PER_COUNT = 16_384;
const BYTES_PER_REQUEST_BYTE = 2;
const BYTES_PER_RESPONSE_BYTE = 4.5;

describe('the limits', () => {
  const config = parseConfig(composeEnv);

  test.each([
    ['Compose', config, replicas[0]?.mem_limit],
    ['Kubernetes', parseConfig(fullEnv), pod.containers[0].resources.limits?.['memory']],
    ['systemd', parseConfig(unitEnv), unit['MemoryMax']],
  ])('of %s on memory have room for what the gateway keeps in flight', (_by, limits, limit) => {
    const limitBytes = bytesOf(limit);
    const { http, service } = limits;
    const requestBytes = BYTES_PER_REQUEST_BYTE * http.maxInFlightRequests * BYTES_PER_COUNT;
    const largeBytes = BYTES_PER_RESPONSE_BYTE * http.maxLargeResponses * service.maxResponseBytes;
    const smallBytes = BYTES_PER_RESPONSE_BYTE * http.maxInFlightRequests * LARGE_BYTES;
    const inFlightBytes = requestBytes + smallBytes + largeBytes;
    const heapBytes = Number(/--max-old-space-size=(\d+)/.exec(dockerfileInstruction('CMD'))?.[1]) * MEBIBYTE;
    expect(limitBytes).toBeGreaterThan(IDLE_BYTES + inFlightBytes);
    expect(heapBytes).toBeGreaterThan(inFlightBytes);
    expect(limitBytes).toBeGreaterThan(heapBytes + IDLE_BYTES);
  });

  test.each([
    ['Compose', config, milliseconds(replicas[0]?.stop_grace_period)],
    ['Kubernetes', parseConfig(fullEnv), pod.terminationGracePeriodSeconds * 1000],
    ['systemd', parseConfig(unitEnv), milliseconds(unit['TimeoutStopSec'])],
  ])('of %s leave time to drain, and draining leaves time for a write', (_by, limits, killedAfterMs) => {
    expect(killedAfterMs).toBeGreaterThan(limits.process.drainDelayMs + limits.process.shutdownGraceMs);
    expect(limits.process.shutdownGraceMs).toBeGreaterThan(writeMs(limits));
  });

  test('on request bodies are the same in nginx and in the gateway', () => {
    expect(nginxDirective('client_max_body_size')).toBe(`${config.http.maxBodyBytes / 1024}k`);
  });

  test('of nginx let in as many requests as both replicas do, and its memory has room for them', () => {
    const [all, client] = ['all', 'client'].map((zone) => Number(nginxDirective(`limit_conn ${zone}`)));
    expect(all).toBe(replicas.length * config.http.maxInFlightRequests);
    expect(client).toBe(Number(all) / 16);
    // Each takes two connections.
    const connections = 2 * Number(nginxDirective('worker_connections'));
    expect(connections).toBeGreaterThan(4 * Number(all));

    const { tmpfs = [], mem_limit: memory } = readComposeServices()['nginx'] ?? {};
    const sizes = new Map(
      tmpfs
        .map((mount) => /^([^:]+):size=(\w+)/.exec(mount) ?? [])
        .map(([, path, size]) => [path, bytesOf(size)]),
    );
    expect([...sizes.keys()]).toEqual(['/tmp', nginxDirective('proxy_temp_path')]);
    const [bodies = 0, responses = 0] = sizes.values();
    expect(bodies).toBeGreaterThan(Number(all) * bytesOf(nginxDirective('client_max_body_size')));
    const maxResponseBytes = bytesOf(nginxDirective('proxy_max_temp_file_size'));
    expect(maxResponseBytes).toBeGreaterThan(config.graphql.maxResultBytes);
    expect(responses).toBeGreaterThan(25 * maxResponseBytes);
    const NGINX_BYTES_PER_REQUEST = 500_000;
    expect(bytesOf(memory)).toBeGreaterThan(bodies + responses + Number(all) * NGINX_BYTES_PER_REQUEST);
  });

  test('of an Ingress are those of nginx', () => {
    const ingress = parse(readText('deploy/kubernetes/components/ingress/ingress.yaml')) as {
      metadata: { annotations: Record<string, string> };
    };
    const names = ['client_max_body_size', 'proxy_read_timeout', 'proxy_max_temp_file_size'];
    expect(ingress.metadata.annotations).toEqual({
      'nginx.org/proxy-buffering': 'True',
      ...Object.fromEntries(
        names.map((name) => [`nginx.org/${name.replaceAll('_', '-')}`, nginxDirective(name)]),
      ),
    });
  });

  test.each(readProxyTimeouts())('let %s wait for the longest mutation', (_proxy, timeout) => {
    for (const limits of [config, parseConfig(envWithoutKeys), parseConfig(fullEnv)])
      expect(milliseconds(timeout)).toBeGreaterThan(
        limits.graphql.bulkTimeoutMs + limits.graphql.maxMutationFields * writeMs(limits),
      );
  });

  test('let no proxy, no router and no Gateway send a mutation twice', () => {
    expect(readText('deploy/nginx.conf')).not.toMatch(/^ *proxy_next_upstream .*non_idempotent/m);
    const routers = ['apollo/router.yaml', 'cosmo/config.yaml'].map(readSupergraph);
    expect(JSON.stringify(routers)).not.toMatch(/retry/i);
    expect(gatewayConfig).not.toHaveProperty('upstreamRetry');
    expect(JSON.stringify(httpRoute.spec)).not.toMatch(/retry/i);
  });

  test('let nginx close an idle connection well before a replica does', () => {
    const idleMs = milliseconds(nginxDirective('keepalive_timeout', 'upstream gateway'));
    expect(idleMs).toBeLessThan(Math.min(QUIET_PERIOD_MS, config.process.drainDelayMs));
    expect(2 * idleMs).toBeLessThan(Math.min(config.process.drainDelayMs, config.process.shutdownGraceMs));
    expect(2 * idleMs).toBeLessThan(config.http.keepAliveTimeoutMs);
  });
});

/** How long each proxy and router in front of the gateway waits for its response. */
function readProxyTimeouts(): [proxy: string, timeout: string | undefined][] {
  const [rule] = httpRoute.spec?.['rules'] as { timeouts: { request: string; backendRequest: string } }[];
  const apollo = readSupergraph<{ timeout: string }>('apollo/router.yaml');
  const cosmo = readSupergraph<{ request_timeout: string }>('cosmo/config.yaml');
  const hiveMs = gatewayConfig.upstreamTimeout({ subgraphName: 'freight' });
  return [
    ['nginx', nginxDirective('proxy_read_timeout')],
    ['the Gateway respond to clients, and', rule?.timeouts.request],
    ['the Gateway', rule?.timeouts.backendRequest],
    ['Apollo Router respond to clients, and', apollo.router?.timeout],
    ['Apollo Router', apollo.subgraphs['freight']?.timeout],
    ['Cosmo Router', cosmo.subgraphs['freight']?.request_timeout],
    ['Hive Gateway', `${Number(hiveMs) / 1000}s`],
  ];
}

/** The timeouts of a router in deploy/supergraph/. */
function readSupergraph<T>(file: string): { router?: T; subgraphs: Record<string, T> } {
  const config = parse(readText(`deploy/supergraph/${file}`)) as {
    traffic_shaping: { router?: T; subgraphs: Record<string, T> };
  };
  return config.traffic_shaping;
}

/** The variable and value that a mounted file stands for. */
function readSecret(name: string, path: string): [name: string, value: string] {
  const value = secrets[name];
  expect(path).toMatch(new RegExp(`^/run/secrets/[\\w-]+/${name}$`));
  if (value === undefined) throw new Error(`Expected a secret, got ${name}`);
  return name === 'CLIENT_KEYS' ? ['CLIENT_KEYS_FILE', keysFile] : [name, value];
}

/** The longest time of a write with all of its reads: one that is repeated with its key reads before and after it. */
function writeMs(limits: Config): number {
  return limits.service.timeoutMs + 2 * limits.service.readBackTimeoutMs;
}

function readAssignments(text = ''): Record<string, string> {
  return Object.fromEntries(text.split(' ').map((assignment) => assignment.split('=') as [string, string]));
}

/** Interpolates a value of the Compose file: the operator's variable, or its default. */
function interpolate(value: string): string {
  const [, name = '', operator, text = value] = /^\$\{(\w+):([-?+])(.*)\}$/.exec(value) ?? [];
  if (operator === '+') return name === 'CLIENT_KEYS_FILE' ? keysFile : text; // the path in the container
  return operatorEnv[name] ?? text;
}

function milliseconds(duration = ''): number {
  return Number(/^(\d+)s$/.exec(duration)?.[1]) * 1000;
}
