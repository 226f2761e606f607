/** Rules of ours for the deployment files. Each function takes the texts of files and returns the violations. */
import { parse } from 'yaml';
import {
  dockerfileInstructions,
  type ComposeService,
  type Manifest,
  type PodTemplate,
} from './deployment.js';

/** By default, the kubelet keeps five files of 10 MiB of a container's log. */
const LOG_BYTES = 5 * 10 * 2 ** 20;

/** Images whose tag is no exact version, so that two builds of one commit may differ. */
export function imageProblems(dockerfile: string, compose: string): string[] {
  const stages = [...dockerfile.matchAll(/^FROM \S+ AS (\S+)$/gim)].map(([, stage]) => stage);
  const bases = dockerfileInstructions(dockerfile)
    .filter(([instruction]) => instruction === 'FROM')
    .map(([, rest]) => /^(?:--\S+ )*(\S+)/.exec(rest)?.[1] ?? '');
  const copied = [...dockerfile.matchAll(/--from=(\S+)/g)].map(([, image = '']) => image);
  const services = Object.values(servicesOf(compose)).map(({ image }) => image);
  return [...new Set([...bases, ...copied, ...services])]
    .filter((image) => !stages.includes(image))
    .filter((image) => !/:\d+\.\d+\.\d+(?:-[\w.-]+)?$/.test(image) && !/@sha256:[\da-f]{64}$/.test(image))
    .map((image) => `${image}: expected an exact version or a digest`);
}

/** Compose services that could take all memory, processes, CPUs or disk space of the machine. */
export function serviceLimitProblems(compose: string): string[] {
  return Object.entries(servicesOf(compose)).flatMap(([name, service]) => {
    const { mem_limit, memswap_limit, pids_limit, cpus, logging, tmpfs = [] } = service;
    const spaces = tmpfs.map(tmpfsOptions);
    const checks: [isMet: boolean, expectation: string][] = [
      [bytesOf(mem_limit) > 0, 'mem_limit'],
      [memswap_limit === mem_limit, 'memswap_limit equal to mem_limit'],
      [Number(pids_limit) > 0, 'pids_limit'],
      [Number(cpus) > 0, 'cpus'],
      [bytesOf(logging?.options['max-size']) > 0, 'logging with max-size'],
      [Number(logging?.options['max-file']) > 0, 'logging with max-file'],
      [spaces.every(({ size }) => bytesOf(size) > 0), 'a size for each tmpfs'],
      [spaces.every(({ mode }) => mode === '0700'), 'mode 0700 for each tmpfs'],
      [spaces.every(({ uid, gid }) => `${uid}:${gid}` === service.user), 'each tmpfs to belong to the user'],
      [
        2 * sum(spaces.map(({ size }) => bytesOf(size))) <= bytesOf(mem_limit),
        'mem_limit of twice the tmpfs',
      ],
    ];
    return checks.filter(([isMet]) => !isMet).map(([, expectation]) => `${name}: expected ${expectation}`);
  });
}

/** Settings of Redis with which it could lose idempotency keys, or memory for the copy that rewriting the file makes. */
export function redisProblems(compose: string): string[] {
  const { command = [], volumes = [], mem_limit } = servicesOf(compose)['redis'] ?? {};
  const option = (name: string) => {
    const index = command.indexOf(`--${name}`);
    return index < 0 ? undefined : command[index + 1];
  };
  const checks: [isMet: boolean, expectation: string][] = [
    [option('maxmemory-policy') === 'noeviction', 'maxmemory-policy noeviction'],
    [
      option('appendonly') === 'yes' && volumes.some((volume) => /^[\w-]+:\/data$/.test(volume)),
      'an append-only file on a volume',
    ],
    [
      2 * bytesOf(option('maxmemory')?.replace(/b$/, '')) <= bytesOf(mem_limit),
      'mem_limit of twice maxmemory',
    ],
  ];
  return checks.filter(([isMet]) => !isMet).map(([, expectation]) => `redis: expected ${expectation}`);
}

/** Sizes of nginx that do not fit the replicas, or each other. */
export function nginxSizeProblems(
  nginx: string,
  compose: string,
  { maxInFlightRequests }: { maxInFlightRequests: number },
): string[] {
  const value = (name: string) => new RegExp(`^ *${name} +(.*);`, 'm').exec(nginx)?.[1] ?? '';
  const connections = Number(value('worker_processes')) * Number(value('worker_connections'));
  const inFlight = connections / 2; // one connection to the client and one to the replica
  const [spool] = (servicesOf(compose)['nginx']?.tmpfs ?? []).map(tmpfsOptions);
  const checks: [isMet: boolean, expectation: string][] = [
    [inFlight >= maxInFlightRequests, `connections for ${maxInFlightRequests} requests in flight`],
    [
      bytesOf(spool?.['size']) >= inFlight * bytesOf(value('client_max_body_size')),
      'a tmpfs with room for the body of each request in flight',
    ],
    [
      Number(value('worker_rlimit_nofile')) >= 2 * Number(value('worker_connections')),
      'files for twice the connections of a worker',
    ],
    [value('proxy_max_temp_file_size') === '0', 'responses to stay out of the tmpfs'],
    [!/^ *proxy_next_upstream .*non_idempotent/m.test(nginx), 'no POST to be sent twice'],
  ];
  return checks.filter(([isMet]) => !isMet).map(([, expectation]) => `expected ${expectation}`);
}

/** Containers without a request or limit, or whose log alone would get the pod evicted. */
export function resourceProblems(deployment: string): string[] {
  const { spec } = parse(deployment) as Manifest;
  const { containers } = (spec?.['template'] as PodTemplate).spec;
  return containers.flatMap(({ resources }) => {
    const missing = (['requests', 'limits'] as const).flatMap((kind) =>
      ['cpu', 'memory', 'ephemeral-storage']
        .filter((name) => resources[kind]?.[name] === undefined)
        .map((name) => `expected ${kind} of ${name}`),
    );
    const storage = bytesOf(resources.limits?.['ephemeral-storage']);
    return storage > LOG_BYTES
      ? missing
      : [...missing, 'expected a limit of ephemeral-storage above the log'];
  });
}

function servicesOf(compose: string): Record<string, ComposeService> {
  return (parse(compose, { merge: true }) as { services: Record<string, ComposeService> }).services;
}

function tmpfsOptions(mount: string): Record<string, string | undefined> {
  const [, options = ''] = mount.split(':');
  return Object.fromEntries(options.split(',').map((option) => option.split('=') as [string, string]));
}

/** Reads sizes of Compose and nginx (`512m`) and of Kubernetes (`512Mi`); NaN for anything else. */
function bytesOf(size = ''): number {
  const [, digits, unit = ''] = /^(\d+)([kmg])i?$/i.exec(size) ?? [];
  return Number(digits) * 1024 ** ('kmg'.indexOf(unit.toLowerCase()) + 1);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
