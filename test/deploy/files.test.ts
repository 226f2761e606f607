import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  dockerfileInstruction,
  readComposeServices,
  readManifest,
  readManifests,
  readPodTemplate,
  readReplicas,
  readText,
  root,
} from '../support/deploy/deployment.js';
import {
  composeProblems,
  dockerfileProblems,
  manifestProblems,
} from '../support/deploy/deploymentProblems.js';

const COMPILER_TIMEOUT_MS = 60_000;
const template = readPodTemplate();
const [container] = template.spec.containers;

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

  test('the Kubernetes manifests', { timeout: COMPILER_TIMEOUT_MS }, () => {
    const manifests = readManifests();
    expect(manifests.map(({ kind }) => kind).sort()).toEqual([
      'ConfigMap',
      'Deployment',
      'HorizontalPodAutoscaler',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
    ]);
    const invalidManifest = readManifest('Deployment');
    invalidManifest.spec = { ...invalidManifest.spec, replica: 2 };
    expect(manifestProblems([...manifests, invalidManifest])).toEqual([
      expect.stringMatching(/^Deployment: .*'"replica"' does not exist/) as string,
    ]);
  });
});

describe('the files agree', () => {
  test('on one image, tagged with the package version', () => {
    const { version } = JSON.parse(readText('package.json')) as { version: string };
    const image = `shipment-graphql-gateway:${version}`;
    expect([container.image, ...readReplicas().map((replica) => replica.image)]).toEqual([
      image,
      image,
      image,
    ]);
  });

  test('on the labels: every selector matches the pods of the Deployment', () => {
    const { labels } = template.metadata;
    expect([
      readManifest('Deployment').spec?.['selector'],
      readManifest('PodDisruptionBudget').spec?.['selector'],
      readManifest('NetworkPolicy').spec?.['podSelector'],
      { matchLabels: readManifest('Service').spec?.['selector'] },
    ]).toEqual(Array(4).fill({ matchLabels: labels }));
  });

  test('on names: the autoscaler targets the Deployment, which reads the ConfigMap', () => {
    const { apiVersion, kind, metadata } = readManifest('Deployment');
    expect(readManifest('HorizontalPodAutoscaler').spec?.['scaleTargetRef']).toEqual({
      apiVersion,
      kind,
      name: metadata.name,
    });
    const { name } = readManifest('ConfigMap').metadata;
    expect(container.envFrom).toEqual([{ configMapRef: { name } }, { secretRef: { name, optional: true } }]);
  });
});

describe('containers run with least privilege', () => {
  test('in Kubernetes, as the user of the image', () => {
    const [runAsUser, runAsGroup] = dockerfileInstruction('USER').split(':').map(Number);
    expect(runAsUser).toBeGreaterThan(0);
    expect(template.spec.securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser,
      runAsGroup,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  test.each(Object.entries(readComposeServices()))('in the Compose file: service %s', (_name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });
});
