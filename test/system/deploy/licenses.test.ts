/** The lists of packages that the build writes for the bundled server and the explorer. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ThirdPartyPackage } from '../../../scripts/bundledPackages.js';
import { readText, root } from '../../support/deploy/deployment.js';
import { minimalEnv } from '../../support/process/minimalEnv.js';

/** Permissive licenses, which only ask for their text. */
const PERMITTED = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT'];

const packages = JSON.parse(readText('dist/third-party-packages.json')) as ThirdPartyPackage[];
const bundlesOf = (name: string) => packages.find((each) => each.name === name)?.bundles;

test('names the packages in the server, in the explorer and in the web workers of its editor', () => {
  expect(['fastify', 'graphql', 'monaco-editor', 'picomatch-browser'].map(bundlesOf)).toEqual([
    ['server'],
    ['server', 'explorer'],
    ['explorer'],
    ['explorer'],
  ]);
});

test('finds only permissive licenses', () => {
  const parts = (license: string) => license.replace(/[()]/g, '').split(' AND ');
  expect(packages.filter(({ license }) => !parts(license).every((part) => PERMITTED.includes(part)))).toEqual(
    [],
  );
});

test('writes the license text of every package that has one', () => {
  const text = readText('dist/THIRD_PARTY_LICENSES.md');
  for (const { name, version } of packages) expect(text).toContain(`\n## ${name} ${version}\n`);
  expect(text.match(/^The package contains no license text\.$/gm)?.length).toBeLessThan(packages.length / 10);
  const [, react = ''] = text.split('\n## react 1');
  expect(react.slice(0, 200)).toContain('Copyright (c) Meta Platforms, Inc. and affiliates.');
});

test('adds the packages of the bundles to an SBOM, unless they are listed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sbom-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'sbom.json');
  const version = (name: string) => packages.find((each) => each.name === name)?.version ?? '';
  const listed = { name: 'fastify', purl: `pkg:npm/fastify@${version('fastify')}?checksum=x` };
  writeFileSync(file, JSON.stringify({ bomFormat: 'CycloneDX', components: [listed] }));
  execFileSync(join(root, 'node_modules/.bin/tsx'), ['scripts/addBundledPackages.ts', file], {
    cwd: root,
    env: minimalEnv,
  });
  const sbom = JSON.parse(readFileSync(file, 'utf8')) as { components: { purl: string }[] };
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX' });
  expect(sbom.components.length).toBe(packages.length);
  expect(sbom.components[0]).toEqual(listed);
  const purl = `pkg:npm/%40graphiql/react@${version('@graphiql/react')}`;
  expect(sbom.components.find((each) => each.purl === purl)).toEqual({
    type: 'library',
    'bom-ref': purl,
    group: '@graphiql',
    name: 'react',
    version: version('@graphiql/react'),
    licenses: [{ license: { id: 'MIT' } }],
    purl,
    properties: [{ name: 'shipment-graphql-gateway:bundle', value: 'explorer' }],
  });
});
