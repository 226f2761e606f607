/** Reads the deployment files. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface ComposeService {
  networks?: string[] | Record<string, object | null>;
  image: string;
  environment: Record<string, string | number>;
  stop_grace_period: string;
  mem_limit?: string;
  tmpfs?: string[];
}

export function readText(path: string): string {
  return readFileSync(`${root}${path}`, 'utf8');
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
  return expectMatch(within, new RegExp(`(?:^ *|\\{ )${name} +([^;]*);`, 'm'), `${name} in nginx.conf`);
}

function expectMatch(text: string, pattern: RegExp, description: string): string {
  const [, value] = pattern.exec(text) ?? [];
  if (value === undefined) throw new Error(`Expected ${description}`);
  return value;
}
