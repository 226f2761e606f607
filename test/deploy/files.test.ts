import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  buildManifests,
  OVERLAYS,
  podTemplateOf,
  readComposeServices,
  readReplicas,
  readText,
  root,
} from '../support/deploy/deployment.js';
import {
  imageProblems,
  resourceProblems,
  redisProblems,
  serviceLimitProblems,
} from '../support/deploy/deploymentRules.js';
import { composeProblems, dockerfileProblems } from '../support/deploy/deploymentProblems.js';

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
    onTestFinished(() => {
      rmSync(folder, { recursive: true });
    });
    const invalidFile = join(folder, 'compose.yaml');
    writeFileSync(invalidFile, readText('deploy/compose.yaml').replace('read_only:', 'read_onli:'));
    expect(composeProblems(invalidFile)).toEqual([
      expect.stringMatching(/services\/gateway-1.*must NOT have additional properties/) as string,
    ]);
  });
});

describe('the files agree', () => {
  test('on one image, tagged with the package version', () => {
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
});

describe('containers of the Compose file run with least privilege:', () => {
  test.each(Object.entries(readComposeServices()))('service %s', (_name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });
});

describe('images have exact versions', () => {
  const dockerfile = readText('Dockerfile');
  const compose = readText('deploy/compose.yaml');

  test('in the Dockerfile and in the Compose file', () => {
    expect(imageProblems(dockerfile, compose)).toEqual([]);
  });

  test('which the documentation names, too', () => {
    const [, base = ''] = /^ARG NODE_IMAGE=(\S+)/m.exec(dockerfile) ?? [];
    expect(readText('docs/deployment.md')).toContain(`docker buildx imagetools inspect ${base} `);
    expect(readText('.nvmrc').trim()).toBe(/\d+/.exec(base)?.[0]);
  });

  test.each([
    ['ARG NODE_IMAGE=node:26-slim\nFROM ${NODE_IMAGE}'],
    ['FROM node:26-slim'],
    ['FROM node:26.10-slim'],
    ['FROM node'],
    ['FROM node:latest AS other'],
    ['FROM --platform=linux/amd64 node:slim'],
    ['FROM node@sha256:0123'],
    ['COPY --from=busybox:stable /bin/sh /bin/sh'],
  ])('and a Dockerfile with %j is reported', (line) => {
    expect(imageProblems(`${dockerfile}${line}\n`, compose)).toEqual([
      expect.stringMatching(/^(?:node|busybox)\S*: expected an exact version or a digest$/) as string,
    ]);
  });

  test.each(['nginx', 'valkey/valkey'])(
    'and a Compose file with a tag of %s that moves is reported',
    (image) => {
      const moving = compose.replace(new RegExp(`(image: ${image}):.*`), '$1:1-alpine');
      expect(imageProblems(dockerfile, moving)).toEqual([
        `${image}:1-alpine: expected an exact version or a digest`,
      ]);
    },
  );

  test('or a digest', () => {
    const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
    const pinned = compose.replace(/(image: nginx):.*/, `$1:1-alpine@${digest}`);
    expect(imageProblems(`FROM node@${digest}\n`, pinned)).toEqual([]);
  });
});

describe('resources are limited', () => {
  const compose = readText('deploy/compose.yaml');
  const deployment = readText('deploy/kubernetes/base/deployment.yaml');

  test('for every service of the Compose file', () => {
    expect(serviceLimitProblems(compose)).toEqual([]);
  });

  test.each<[removed: string | RegExp, replacement: string, problems: string[]]>([
    [
      /^ {2}mem_limit: .*\n/m,
      '',
      ['gateway-1', 'gateway-2'].flatMap((name) => [
        `${name}: expected mem_limit`,
        `${name}: expected memswap_limit equal to mem_limit`,
        `${name}: expected mem_limit of twice the tmpfs`,
      ]),
    ],
    ['memswap_limit: 1g', 'memswap_limit: 2g', ['nginx: expected memswap_limit equal to mem_limit']],
    [/^ {2}pids_limit: .*\n/m, '', ['gateway-1: expected pids_limit', 'gateway-2: expected pids_limit']],
    ['    pids_limit: 32\n', '', ['nginx: expected pids_limit']],
    ['    cpus: 0.5\n', '', ['redis: expected cpus']],
    [
      /^ {4}logging: \*logging\n/m,
      '',
      ['nginx: expected logging with max-size', 'nginx: expected logging with max-file'],
    ],
    [
      '/tmp:size=512m,mode=0700,uid=101,gid=101',
      '/tmp',
      [
        'nginx: expected a size for each tmpfs',
        'nginx: expected mode 0700 for each tmpfs',
        'nginx: expected each tmpfs to belong to the user',
        'nginx: expected mem_limit of twice the tmpfs',
      ],
    ],
    ['/tmp:size=512m', '/tmp:size=1g', ['nginx: expected mem_limit of twice the tmpfs']],
    ['uid=101,gid=101', 'uid=101,gid=100', ['nginx: expected each tmpfs to belong to the user']],
    ['mode=0700,uid=101', 'mode=1777,uid=101', ['nginx: expected mode 0700 for each tmpfs']],
  ])('and a Compose file without %s is reported', (removed, replacement, problems) => {
    expect(compose.replace(removed, replacement)).not.toBe(compose);
    expect(serviceLimitProblems(compose.replace(removed, replacement))).toEqual(problems);
  });

  test('for the container in Kubernetes', () => {
    expect(resourceProblems(deployment)).toEqual([]);
  });

  test.each([
    ['cpu: 250m, ', '', ['expected requests of cpu']],
    [', memory: 512Mi', '', ['expected limits of memory']],
    [', ephemeral-storage: 64Mi', '', ['expected requests of ephemeral-storage']],
    [
      ', ephemeral-storage: 256Mi',
      '',
      ['expected limits of ephemeral-storage', 'expected a limit of ephemeral-storage above the log'],
    ],
    [
      'ephemeral-storage: 256Mi',
      'ephemeral-storage: 50Mi',
      ['expected a limit of ephemeral-storage above the log'],
    ],
  ])('and a Deployment without %j is reported', (removed, replacement, problems) => {
    expect(resourceProblems(deployment.replace(removed, replacement))).toEqual(problems);
  });
});

describe('the Redis of the Compose file', () => {
  const compose = readText('deploy/compose.yaml');

  test('keeps idempotency keys', () => {
    expect(redisProblems(compose)).toEqual([]);
  });

  test.each([
    ['--maxmemory-policy, noeviction', '--maxmemory-policy, volatile-ttl', 'maxmemory-policy noeviction'],
    [', --maxmemory-policy, noeviction', '', 'maxmemory-policy noeviction'],
    ["--appendonly, 'yes'", "--appendonly, 'no'", 'an append-only file on a volume'],
    ['- redis-data:/data', '- redis-data:/other', 'an append-only file on a volume'],
    ['--maxmemory, 96mb', '--maxmemory, 192mb', 'mem_limit of twice maxmemory'],
    [', --maxmemory, 96mb', '', 'mem_limit of twice maxmemory'],
  ])('and with %j replaced by %j is reported', (text, replacement, expectation) => {
    expect(compose.replace(text, replacement)).not.toBe(compose);
    expect(redisProblems(compose.replace(text, replacement))).toEqual([`redis: expected ${expectation}`]);
  });
});
