import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.js';
import { bytesOf, dockerfileInstruction, readText, root } from '../support/deploy/deployment.js';
import { manifestProblems } from '../support/deploy/deploymentProblems.js';
import {
  buildManifests,
  containerEnvironment,
  findManifest,
  OVERLAYS,
  podTemplateOf,
  type Manifest,
} from '../support/deploy/kubernetes.js';

const COMPILER_TIMEOUT_MS = 60_000;
const KUBERNETES = join(root, 'deploy/kubernetes');
const folder = mkdtempSync(join(tmpdir(), 'kustomize-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Whatever an operator may apply: each overlay, and the base with each component alone. */
const components = readdirSync(join(KUBERNETES, 'components'));
const builds: (readonly [name: string, manifests: Manifest[]])[] = [
  ...['base', ...OVERLAYS].map((name) => [name, buildManifests(name)] as const),
  ...components.map((name) => [name, buildWithComponent(name)] as const),
];

test('every build has only fields that Kubernetes knows', { timeout: COMPILER_TIMEOUT_MS }, () => {
  const invalidManifest = findManifest(buildManifests('base'), 'Deployment');
  invalidManifest.spec = { ...invalidManifest.spec, replica: 2 };
  const invalidRoute = findManifest(buildManifests('overlays/full'), 'HTTPRoute');
  invalidRoute.spec = { ...invalidRoute.spec, hostname: 'a' };
  const manifests = new Map(builds.flatMap(([, build]) => build).map((each) => [JSON.stringify(each), each]));
  expect(manifestProblems([...manifests.values(), invalidManifest, invalidRoute])).toEqual([
    expect.stringMatching(/^Deployment: .*'"replica"' does not exist/) as string,
    expect.stringMatching(/^HTTPRoute: .*'"hostname"' does not exist/) as string,
  ]);
});

test('a change of the configuration replaces the pods: the name of the ConfigMap changes', () => {
  const copy = join(folder, 'changed');
  cpSync(KUBERNETES, copy, { recursive: true });
  const file = join(copy, 'base/gateway.env');
  writeFileSync(file, readFileSync(file, 'utf8').replace('RATE_LIMIT=600/60s', 'RATE_LIMIT=601/60s'));
  const before = findManifest(buildManifests('base'), 'ConfigMap');
  const after = findManifest(buildManifests('base', copy), 'ConfigMap');
  expect(after.data).toEqual({ ...before.data, RATE_LIMIT: '601/60s' });
  for (const { name } of [before.metadata, after.metadata])
    expect(name).toMatch(/^shipment-gateway-[0-9a-z]{10}$/);
  expect(after.metadata.name).not.toBe(before.metadata.name);
});

describe.each(builds)('in the build of %s', (_name, manifests) => {
  const { metadata, spec } = podTemplateOf(manifests);
  const [container] = spec.containers;
  const namesOf = (kind: string) =>
    manifests.filter((each) => each.kind === kind).map((each) => each.metadata.name);

  test('every selector matches the pods of the Deployment', () => {
    const selectors = manifests.flatMap(({ kind, spec: fields }) => {
      if (kind === 'Service') return [{ matchLabels: fields?.['selector'] }];
      return [fields?.['selector'], fields?.['podSelector']].filter((selector) => selector !== undefined);
    });
    expect(selectors.length).toBeGreaterThanOrEqual(4);
    expect(selectors).toEqual(Array(selectors.length).fill({ matchLabels: metadata.labels }));
  });

  test('every name leads to an object, and every port to one of the container', () => {
    expect(container.envFrom).toEqual([{ configMapRef: { name: namesOf('ConfigMap')[0] } }]);
    expect([spec.serviceAccountName]).toEqual(namesOf('ServiceAccount'));
    expect(findManifest(manifests, 'HorizontalPodAutoscaler').spec?.['scaleTargetRef']).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: namesOf('Deployment')[0],
    });
    const ports = { http: 80, metrics: 9464 };
    const backends = valuesOf<{ service: object }>(manifests, 'backend').map(({ service }) => service);
    const references = valuesOf<object[]>(manifests, 'backendRefs').flat();
    const [name] = namesOf('Service');
    expect(backends).toEqual(backends.map(() => ({ name, port: { name: 'http' } })));
    expect(references).toEqual(references.map(() => ({ name, port: ports.http })));
    expect(backends.length + references.length).toBe(namesOf('Ingress').length + namesOf('HTTPRoute').length);
    expect(findManifest(manifests, 'Service').spec?.['ports']).toEqual(
      container.ports.map(({ name }) => ({ name, port: ports[name as 'http'], targetPort: name })),
    );
  });

  test('every variable of a file has its volume, and the documentation creates the Secret', () => {
    const { volumes = [] } = spec;
    const { env = [], volumeMounts = [] } = container;
    const files = volumeMounts.flatMap(({ name, mountPath }) =>
      volumes
        .filter((volume) => volume.name === name)
        .flatMap(({ secret }) => secret.items.map(({ path }) => `${mountPath}/${path}`)),
    );
    expect(env.map(({ value }) => value)).toEqual(files);
    const secrets = volumes.flatMap(({ secret }) =>
      secret.items.map(({ key }) => ({ name: secret.secretName, key })),
    );
    expect(secrets.length).toBe(files.length);
    for (const { name, key } of secrets) {
      const flag = { 'tls.crt': '--cert', 'tls.key': '--key' }[key] ?? `--from-\\w+=${key}`;
      const kind = name === 'shipment-gateway' ? 'generic' : 'tls';
      expect(readText('docs/deployment.md')).toMatch(new RegExp(`create secret ${kind} ${name} .*${flag}=`));
    }
  });

  test('the container runs as the user of the image', () => {
    const [runAsUser, runAsGroup] = dockerfileInstruction('USER').split(':').map(Number);
    expect(runAsUser).toBeGreaterThan(0);
    expect(spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser,
      runAsGroup,
      fsGroup: runAsGroup,
    });
  });

  test('the container has a request and a limit of every resource, and room for its log', () => {
    const resources = ['cpu', 'memory', 'ephemeral-storage'];
    for (const values of [container.resources.requests, container.resources.limits])
      expect(Object.keys(values ?? {}).sort()).toEqual(resources.toSorted());
    // By default, the kubelet keeps five files of 10 MiB.
    const storage = bytesOf(container.resources.limits?.['ephemeral-storage']);
    expect(storage).toBeGreaterThan(5 * bytesOf('10Mi'));
  });
});

test.each(OVERLAYS)('the pods of %s may connect to the ports in its URLs', (overlay) => {
  const manifests = buildManifests(overlay);
  const egress = manifests
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .flatMap(({ spec }) => (spec?.['egress'] ?? []) as { ports: { port: number }[]; to?: object[] }[]);
  const environment = containerEnvironment(manifests);
  const urls = ['SERVICE_URL', 'SHIPMENT_SERVICE_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT'].flatMap((name) =>
    environment[name] === undefined ? [] : [new URL(environment[name])],
  );
  expect(urls.length).toBe(overlay === 'overlays/full' ? 2 : 1);
  const admitted = urls.map(({ hostname, port, protocol }) => {
    const [, namespace] = hostname.split('.');
    const needed = Number(port) || { 'http:': 80, 'https:': 443 }[protocol];
    const rules = egress.filter(({ ports }) => ports.some(({ port }) => port === needed));
    return rules.some(
      ({ to }) => /"cidr"/.test(JSON.stringify(to)) || JSON.stringify(to).includes(`"${namespace}"`),
    );
  });
  expect(admitted).toEqual(urls.map(() => true));
});

test('behind a proxy, the pods may connect to its port, and to no service directly', () => {
  const portsOf = (build: string) =>
    (builds.find(([name]) => name === build)?.[1] ?? [])
      .filter(({ kind }) => kind === 'NetworkPolicy')
      .flatMap(({ spec }) => (spec?.['egress'] ?? []) as { ports: { port: number }[] }[])
      .flatMap(({ ports }) => ports.map(({ port }) => port));
  expect(portsOf('base')).toEqual([53, 53, 443]);
  expect(portsOf('egress-proxy')).toEqual([53, 53, 3128]);
});

describe('the replicas', () => {
  const { spec } = podTemplateOf(buildManifests('base'));

  test('do not share a node where there are two, and may wait for no node that cannot run them', () => {
    expect(spec.topologySpreadConstraints).toContainEqual({
      topologyKey: 'kubernetes.io/hostname',
      maxSkew: 1,
      whenUnsatisfiable: 'DoNotSchedule',
      nodeTaintsPolicy: 'Honor',
      matchLabelKeys: ['pod-template-hash'],
      labelSelector: { matchLabels: { 'app.kubernetes.io/name': 'shipment-gateway' } },
    });
  });

  test('request the core that the target of the autoscaler is a share of', () => {
    const { requests, limits } = spec.containers[0].resources;
    expect([requests?.['cpu'], limits?.['cpu']]).toEqual(['1', '1']);
  });

  test('may reach no other DNS than that of the cluster', () => {
    const rules = findManifest(buildManifests('base'), 'NetworkPolicy').spec?.['egress'] as {
      ports: { port: number }[];
      to?: object[];
    }[];
    expect(rules.filter(({ ports }) => ports.some(({ port }) => port === 53)).map(({ to }) => to)).toEqual([
      [
        {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
          podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
        },
      ],
    ]);
  });
});

test('clients come through an HTTPRoute, and the component for an Ingress depends on no controller', () => {
  const kindsOf = (manifests: readonly Manifest[]) => manifests.map(({ kind }) => kind);
  for (const overlay of OVERLAYS) {
    expect(kindsOf(buildManifests(overlay))).toContain('HTTPRoute');
    expect(kindsOf(buildManifests(overlay))).not.toContain('Ingress');
  }
  const ingress = findManifest(builds.find(([name]) => name === 'ingress')?.[1] ?? [], 'Ingress');
  expect(ingress.metadata.annotations).toBe(undefined);
  expect(JSON.stringify(builds)).not.toContain('nginx');
});

describe('the autoscaler', () => {
  test('adds replicas for their CPU, and at 70 % of the connections to an origin of the service', () => {
    const manifests = buildManifests('overlays/full');
    const { data } = findManifest(manifests, 'ConfigMap');
    const { service } = parseConfig({ ...data, REDIS_URL: 'redis://redis' }); // which is in the Secret
    const connections = Math.round(0.7 * service.maxConnections);
    expect(findManifest(manifests, 'HorizontalPodAutoscaler').spec?.['metrics']).toEqual([
      { type: 'Resource', resource: expect.objectContaining({ name: 'cpu' }) as object },
      {
        type: 'Pods',
        pods: {
          metric: { name: 'shipment_gateway_rest_connections_active' },
          target: { type: 'AverageValue', averageValue: String(connections) },
        },
      },
    ]);
  });
});

function buildWithComponent(name: string): Manifest[] {
  const path = join(folder, name);
  mkdirSync(path);
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [relative(path, join(KUBERNETES, 'base'))],
    components: [relative(path, join(KUBERNETES, 'components', name))],
  };
  writeFileSync(join(path, 'kustomization.yaml'), JSON.stringify(kustomization));
  return buildManifests(name, folder);
}

/** The values of a field, wherever it is. */
function valuesOf<T>(manifests: readonly Manifest[], field: string): T[] {
  const values: T[] = [];
  JSON.stringify(manifests, (key, value: unknown) => {
    if (key === field) values.push(value as T);
    return value;
  });
  return values;
}
