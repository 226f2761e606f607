/** Validates the deployment files by the rules of the programs that read them. */
import { DCLinter } from 'dclint';
import { validate } from 'dockerfile-utils';
import ts from 'typescript';
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
  // In test/, whose packages include the types.
  const sources = new Map(
    manifests.map((manifest, index) => [`test/manifest-${index}.ts`, sourceOf(manifest)]),
  );
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: [],
  };
  const files = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...files,
    fileExists: (file) => sources.has(file) || files.fileExists(file),
    getSourceFile: (file, version) => {
      const source = sources.get(file);
      return source === undefined
        ? files.getSourceFile(file, version)
        : ts.createSourceFile(file, source, version);
    },
  };
  const program = ts.createProgram([...sources.keys()], options, host);
  return [...sources.keys()].flatMap((file, index) =>
    program
      .getSemanticDiagnostics(program.getSourceFile(file))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
      .map((message) => `${manifests[index]?.kind ?? file}: ${message}`),
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
