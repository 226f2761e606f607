/** The Dockerfile and the Compose file: valid by the rules of the programs that read them, and safe to run. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  bytesOf,
  dockerfileInstructions,
  readComposeServices,
  readReplicas,
  readText,
  root,
} from '../support/deploy/deployment.js';
import { composeProblems, dockerfileProblems } from '../support/deploy/deploymentProblems.js';
import { buildManifests, OVERLAYS, podTemplateOf } from '../support/deploy/kubernetes.js';

const services = Object.entries(readComposeServices());

describe('validation accepts each file, and rejects it with a misspelled name:', () => {
  test('the Dockerfile', () => {
    const dockerfile = readText('Dockerfile');
    expect(dockerfileProblems(dockerfile)).toEqual([]);
    expect(dockerfileProblems(dockerfile.replace('USER ', 'USERS '))).toEqual([
      expect.stringContaining('USERS') as string,
    ]);
  });

  test('the Compose file', () => {
    expect(composeProblems(join(root, 'deploy/compose.yaml'))).toEqual([]);
    const folder = mkdtempSync(join(tmpdir(), 'compose-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const invalidFile = join(folder, 'compose.yaml');
    writeFileSync(invalidFile, readText('deploy/compose.yaml').replace('read_only:', 'read_onli:'));
    expect(composeProblems(invalidFile)).toEqual([
      expect.stringMatching(/services\/gateway-1.*must NOT have additional properties/) as string,
    ]);
  });
});

test('the files agree on one image, tagged with the package version', () => {
  const { version } = JSON.parse(readText('package.json')) as { version: string };
  const image = `shipment-graphql-gateway:${version}`;
  const [container] = podTemplateOf(buildManifests('base')).spec.containers;
  const images = [container.image, ...readReplicas().map((replica) => replica.image)];
  expect(images).toEqual([image, image, image]);
  for (const overlay of OVERLAYS) {
    const [{ image: tagged }] = podTemplateOf(buildManifests(overlay)).spec.containers;
    expect(tagged).toBe(`registry.example.com/${image}`);
  }
});

test('images have exact versions, which the documentation and .nvmrc name, too', () => {
  const [base = ''] = dockerfileInstructions()
    .filter(([instruction]) => instruction === 'FROM')
    .map(([, rest]) => rest.split(' ')[0]);
  for (const image of [base, ...services.map(([, service]) => service.image)])
    expect(image).toMatch(/:\d+\.\d+\.\d+(?:-[\w.-]+)?$/);
  expect(readText('docs/deployment.md')).toContain(`docker buildx imagetools inspect ${base} `);
  expect(readText('.nvmrc').trim()).toBe(/\d+/.exec(base)?.[0]);
});

describe.each(services)('the service %s of the Compose file', (_name, service) => {
  const { mem_limit, memswap_limit, pids_limit, cpus, logging, tmpfs = [], user } = service;

  test('runs with least privilege', () => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    for (const space of tmpfs) {
      const [, uid = '', gid = ''] = /,mode=0700,uid=(\d+),gid=(\d+)$/.exec(space) ?? [];
      expect(`${uid}:${gid}`).toBe(user);
    }
  });

  test('cannot take all memory, processes, CPUs or disk space of the machine', () => {
    expect(bytesOf(mem_limit)).toBeGreaterThan(0);
    expect(memswap_limit).toBe(mem_limit);
    expect(pids_limit).toBeGreaterThan(0);
    expect(cpus).toBeGreaterThan(0);
    expect(logging?.options).toHaveProperty('max-size');
    expect(logging?.options).toHaveProperty('max-file');
    for (const space of tmpfs)
      // half of the memory is for the processes
      expect(2 * bytesOf(/size=(\w+)/.exec(space)?.[1])).toBeLessThanOrEqual(bytesOf(mem_limit));
  });
});

test('the Redis of the Compose file keeps idempotency keys, and has memory for rewriting its file', () => {
  const { command = [], volumes, mem_limit } = readComposeServices()['redis'] ?? {};
  const option = (name: string) => command[command.indexOf(`--${name}`) + 1];
  expect([option('maxmemory-policy'), option('appendonly'), volumes]).toEqual([
    'noeviction',
    'yes',
    ['redis-data:/data'],
  ]);
  expect(2 * bytesOf(option('maxmemory')?.replace(/b$/, ''))).toBeLessThanOrEqual(bytesOf(mem_limit));
});
