/** The Kubernetes manifests, each build of them once: only known fields, and every name, port and selector leads to something. */
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readText } from '../support/deploy/deployment.js';
import { manifestProblems } from '../support/deploy/deploymentProblems.js';
import {
  buildManifests,
  BUILDS,
  containerEnvironment,
  findManifest,
  OVERLAYS,
  podTemplateOf,
  type Manifest,
} from '../support/deploy/kubernetes.js';

const COMPILER_TIMEOUT_MS = 60_000;
const builds = BUILDS.map((name) => [name, buildManifests(name)] as const);

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

test.each(OVERLAYS)('in %s itself, the URL of the service, the image and the host are set', (overlay) => {
  const settings = parse(readText(`deploy/kubernetes/${overlay}/kustomization.yaml`)) as {
    patches: { target: object; patch: string }[];
    images: { newName: string; newTag: string }[];
    configMapGenerator: { literals: string[] }[];
  };
  const manifests = buildManifests(overlay);
  const [{ image }] = podTemplateOf(manifests).spec.containers;
  expect(settings.images.map(({ newName, newTag }) => `${newName}:${newTag}`)).toEqual([image]);
  const url = findManifest(manifests, 'ConfigMap').data?.['SERVICE_URL'];
  expect(settings.configMapGenerator[0]?.literals).toContain(`SERVICE_URL=${url}`);
  const value = findManifest(manifests, 'HTTPRoute').spec?.['hostnames'];
  expect(settings.patches.map(({ target, patch }) => [target, parse(patch) as unknown])).toEqual([
    [{ kind: 'HTTPRoute' }, [{ op: 'replace', path: '/spec/hostnames', value }]],
  ]);
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

  test('secrets of the operator come with the keys of the clients that may use them', () => {
    const names = (container.env ?? []).map(({ name }) => name.replace(/_FILE$/, ''));
    const secrets = ['SERVICE_CLIENT_KEY', 'SERVICE_HEADERS', 'SHIPMENT_PARAMETERS'];
    if (secrets.some((name) => names.includes(name))) expect(names).toContain('CLIENT_KEYS');
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
});

test.each(OVERLAYS)('the pods of %s may connect to the ports in its URLs', (overlay) => {
  const manifests = buildManifests(overlay);
  const egress = manifests
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .flatMap(({ spec }) => (spec?.['egress'] ?? []) as { ports: { port: number }[]; to?: object[] }[]);
  const environment = containerEnvironment(manifests);
  // A component for JWTs would hold three values that only the operator knows.
  environment['CLIENT_JWKS_URL'] ??= 'https://issuer.example.com/jwks';
  const names = ['SERVICE_URL', 'SHIPMENT_SERVICE_URL', 'CLIENT_JWKS_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
  const urls = names.flatMap((name) => (environment[name] === undefined ? [] : [new URL(environment[name])]));
  expect(urls.length).toBe(overlay === 'overlays/full' ? 3 : 2);
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

test.each(OVERLAYS)('a copy of %s, in a copy of the folder, builds the same', (overlay) => {
  expect(buildManifests(`copies/${overlay}`)).toEqual(buildManifests(overlay));
});

/** The values of a field, wherever it is. */
function valuesOf<T>(manifests: readonly Manifest[], field: string): T[] {
  const values: T[] = [];
  JSON.stringify(manifests, (key, value: unknown) => {
    if (key === field) values.push(value as T);
    return value;
  });
  return values;
}
