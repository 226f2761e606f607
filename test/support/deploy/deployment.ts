/** Reads the deployment files. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec?: Record<string, unknown>;
}

export interface PodTemplate {
  metadata: { labels: object };
  spec: {
    terminationGracePeriodSeconds: number;
    securityContext: object;
    containers: [
      {
        image: string;
        ports: object;
        envFrom: object;
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

export function readManifests(): Manifest[] {
  const folder = 'deploy/kubernetes/';
  return readdirSync(`${root}${folder}`).map((file) => parse(readText(`${folder}${file}`)) as Manifest);
}

export function readManifest(kind: string): Manifest {
  const manifest = readManifests().find((each) => each.kind === kind);
  if (!manifest) throw new Error(`Expected a manifest of kind ${kind}`);
  return manifest;
}

export function readPodTemplate(): PodTemplate {
  return readManifest('Deployment').spec?.['template'] as PodTemplate;
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

/** The arguments of the first such instruction in the Dockerfile's last stage. */
export function dockerfileInstruction(name: string): string {
  const stage =
    readText('Dockerfile')
      .split(/^FROM /m)
      .at(-1) ?? '';
  return expectMatch(stage, new RegExp(`^${name} (.*)$`, 'm'), `${name} in the Dockerfile`);
}

/** The value of the first such directive in nginx.conf, or in a block of it. */
export function nginxDirective(name: string, block = ''): string {
  const text = readText('deploy/nginx.conf');
  const within = text.slice(text.indexOf(block));
  return expectMatch(within, new RegExp(`^ *${name} +(.*);$`, 'm'), `${name} in nginx.conf`);
}

function expectMatch(text: string, pattern: RegExp, description: string): string {
  const [, value] = pattern.exec(text) ?? [];
  if (value === undefined) throw new Error(`Expected ${description}`);
  return value;
}
