import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.js';
import {
  dockerfileInstruction,
  nginxDirective,
  readManifest,
  readPodTemplate,
  readReplicas,
  readText,
} from '../support/deploy/deployment.js';

/** What the operator gives the Compose file. */
const given: Record<string, string> = {
  SERVICE_URL: 'https://freight.example.com',
  SHIPMENT_PARAMETERS: '{"key":"value"}',
  CORS_ORIGINS: 'https://app.example.com',
};

const image = Object.fromEntries(
  dockerfileInstruction('ENV')
    .split(' ')
    .map((each) => each.split('=') as [string, string]),
);
const replicas = readReplicas();
const [composed = {}, ...others] = replicas.map(({ environment }) => ({
  ...image,
  ...Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, fill(String(value))])),
}));
const orchestrated = { ...image, ...readManifest('ConfigMap').data };
const pod = readPodTemplate().spec;

describe('the environment', () => {
  test('both replicas have the same', () => {
    expect(others).toEqual([composed]);
  });

  test.each([
    ['of the Compose file', composed],
    ['of the Kubernetes manifests', orchestrated],
  ])('%s: the gateway knows every variable and takes its value', (_of, environment) => {
    const known = Object.keys(parseConfig(environment));
    expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([]);
  });

  test('its ports are those that the others expect', () => {
    const [http, metrics] = [image['PORT'], image['METRICS_PORT']];
    expect(dockerfileInstruction('EXPOSE')).toBe(`${http} ${metrics}`);
    expect(pod.containers[0].ports).toEqual([
      { name: 'http', containerPort: Number(http) },
      { name: 'metrics', containerPort: Number(metrics) },
    ]);
    expect(readText('deploy/nginx.conf').match(/(?<=server gateway-\d:)\d+/g)).toEqual([http, http]);
  });
});

describe('the bounds', () => {
  const config = parseConfig(composed);

  test.each([
    ['Compose', config, milliseconds(replicas[0]?.stop_grace_period)],
    ['Kubernetes', parseConfig(orchestrated), pod.terminationGracePeriodSeconds * 1000],
  ])('%s leaves time to drain, and that leaves time for a REST call', (_by, bounds, killedAfterMs) => {
    expect(killedAfterMs).toBeGreaterThan(bounds.DRAIN_DELAY_MS + bounds.SHUTDOWN_GRACE_MS);
    expect(bounds.SHUTDOWN_GRACE_MS).toBeGreaterThan(bounds.SERVICE_TIMEOUT_MS);
  });

  test('nginx refuses the bodies that the gateway refuses', () => {
    expect(nginxDirective('client_max_body_size')).toBe(`${config.MAX_BODY_BYTES / 1024}k`);
  });

  test('nginx waits for the longest mutation', () => {
    const updateMs = 2 * config.SERVICE_TIMEOUT_MS; // the update itself, and a read after it
    expect(milliseconds(nginxDirective('proxy_read_timeout'))).toBeGreaterThan(
      config.MAX_MUTATION_FIELDS * updateMs,
    );
  });

  test('nginx closes an idle connection well before a replica does', () => {
    const idleMs = milliseconds(nginxDirective('keepalive_timeout', 'upstream gateway'));
    expect(2 * idleMs).toBeLessThan(Math.min(config.DRAIN_DELAY_MS, config.SHUTDOWN_GRACE_MS));
    expect(2 * idleMs).toBeLessThan(config.KEEP_ALIVE_TIMEOUT_MS);
  });
});

/** A value of the Compose file with what the operator gives in the place of a variable, or its default. */
function fill(value: string): string {
  const [, name = '', fallback = value] = /^\$\{(\w+):[-?](.*)\}$/.exec(value) ?? [];
  return given[name] ?? fallback;
}

function milliseconds(duration = ''): number {
  return Number(/^(\d+)s$/.exec(duration)?.[1]) * 1000;
}
