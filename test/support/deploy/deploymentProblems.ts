/** Validates the deployment files by the rules of the programs that read them. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DCLinter } from 'dclint';
import { validate } from 'dockerfile-utils';
import { compilers, installedPath } from '../process/installedPackage.js';
import { minimalEnv } from '../process/minimalEnv.js';
import type { Manifest } from './kubernetes.js';

export function dockerfileProblems(text: string): string[] {
  return validate(text).map(({ range, message }) => `${range.start.line + 1}: ${JSON.stringify(message)}`);
}

/** Violations of the Compose specification and of the linter's rules, except those about order. */
export function composeProblems(path: string): string[] {
  const rules = { 'service-keys-order': 0, 'top-level-properties-order': 0 } as const;
  return new DCLinter({ rules, quiet: true, debug: false, exclude: [] })
    .lintFiles([path], false)
    .flatMap(({ messages }) => messages.map(({ line, message }) => `${line}: ${message}`));
}

/**
 * Violations of the Kubernetes schemas. The package's validators accept unknown fields but its types do not, so the
 * compiler checks each manifest as an object literal.
 */
export function manifestProblems(manifests: readonly Manifest[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'manifests-'));
  symlinkSync(installedPath(''), join(folder, 'node_modules'));
  const files = manifests.map((manifest, index) => {
    writeFileSync(join(folder, `${index}.ts`), sourceOf(manifest));
    return `${index}.ts`;
  });
  const options = ['--module', 'nodenext', '--strict', '--skipLibCheck', '--noEmit', '--pretty', 'false'];
  const { stdout } = spawnSync(process.execPath, [compilers[7], ...options, ...files], {
    cwd: folder,
    env: minimalEnv,
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  return [...stdout.matchAll(/^(\d+)\.ts\(.*?\): error \w+: (.*)$/gm)].map(
    ([, index, message]) => `${manifests[Number(index)]?.kind}: ${message}`,
  );
}

/** Where the types of custom resources are, by the group of their API. */
const packages: Readonly<Record<string, string>> = {
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
};

function sourceOf(manifest: Manifest): string {
  const { apiVersion, kind } = manifest;
  const [group = ''] = apiVersion.split('/');
  return `
    import type { I${kind} } from '${packages[group] ?? 'kubernetes-models'}/${apiVersion}';
    export const manifest: I${kind} = ${JSON.stringify(manifest)};
  `;
}
