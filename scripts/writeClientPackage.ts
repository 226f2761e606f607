/**
 * Completes dist/client-package/, whose modules tsc has written: the package of what front ends use, with the version of the gateway. Its
 * command is one file, which contains the packages that it needs.
 */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { assertInterfaceType, assertObjectType } from 'graphql';
import { build, type Plugin } from 'vite';
import { createSchema } from '../src/graphql/schema.js';
import { listBundledPackages, type BundledPackage } from './bundledPackages.js';

const root = new URL('../', import.meta.url);
const target = new URL('dist/client-package/', root);
const { version, license } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  version: string;
  license: string;
};

const formOf = (folder: string, path: string) => ({
  types: `./${folder}/${path}.d.ts`,
  default: `./${folder}/${path}.js`,
});
/** Jest loads CommonJS. No module has a state that matters, so a program may have both forms. */
const entry = (path: string) => ({ require: formOf('cjs', path), default: formOf('dist', path) });
/** Files next to the modules, and where they come from. */
const files = {
  LICENSE: 'LICENSE',
  'README.md': 'src/client/README.md',
  'codegen.json': 'src/client/codegen.json',
  'schema.graphql': 'dist/schema.graphql',
};
const OPERATIONS = 'operations.graphql';
const INTROSPECTION = 'introspection.json';
const COMMAND = 'command.js';
const BUNDLED_LICENSES = 'THIRD_PARTY_LICENSES.md';
const documents = [...Object.keys(files), INTROSPECTION, OPERATIONS].filter((file) =>
  /\.(graphql|json)$/.test(file),
);
/** Keeps the modules that the package has anyway out of the bundle. */
const compiledModules: Plugin = {
  name: 'compiled-modules',
  enforce: 'pre',
  resolveId: {
    filter: { id: /^\.\.\/\w+\.js$/ },
    handler: (id) => ({ id: id.replace('..', './dist/client'), external: 'relative' }),
  },
};

const peers = {
  // The entry `apollo` needs version 4; the others can be installed next to version 3, which npm would refuse otherwise.
  '@apollo/client': '^3.0.0 || ^4.0.0',
  '@urql/core': '^6.0.0',
  graphql: '^16.0.0 || ^17.0.0',
  react: '^18.0.0 || ^19.0.0',
  'react-hook-form': '^7.0.0',
  rxjs: '^7.3.0',
  wonka: '^6.0.0',
};

const manifest = {
  name: 'shipment-graphql-client',
  version,
  description:
    'Outcomes, idempotency keys, retries, lists, forms and files of rows for clients of the shipment GraphQL gateway',
  keywords: ['graphql', 'apollo-client', 'urql', 'react-hook-form', 'idempotency', 'retry'],
  license,
  type: 'module',
  sideEffects: false,
  bin: COMMAND,
  exports: {
    '.': entry('client/index'),
    './apollo': entry('client/apollo'),
    './batch': entry('client/batch'),
    './columns': entry('client/columns'),
    './errors': entry('errors'),
    './list': entry('client/list'),
    './react': entry('client/react'),
    './react-hook-form': entry('client/reactHookForm'),
    './texts': entry('client/texts'),
    './urql': entry('client/urql'),
    ...Object.fromEntries(documents.map((file) => [`./${file}`, `./${file}`])),
    './package.json': './package.json',
  },
  files: ['cjs', 'dist', COMMAND, BUNDLED_LICENSES, ...documents],
  peerDependencies: peers,
  peerDependenciesMeta: Object.fromEntries(Object.keys(peers).map((name) => [name, { optional: true }])),
};

// The values of enums need no words: the types next to them have them.
const enums = new URL('dist/generated/enums.js', target);
writeFileSync(enums, readFileSync(enums, 'utf8').replaceAll(/ *\/\*\*[^]*?\*\/\n/g, ''));
writeFileSync(new URL('cjs/package.json', target), '{ "type": "commonjs" }\n');
writeFileSync(new URL('package.json', target), `${JSON.stringify(manifest, null, 2)}\n`);
for (const [file, source] of Object.entries(files))
  copyFileSync(new URL(source, root), new URL(file, target));
writeFileSync(new URL(OPERATIONS, target), outcomeFragments());
// Without the white space, the package is 2 kB smaller.
const introspection: unknown = JSON.parse(readFileSync(new URL(`dist/${INTROSPECTION}`, root), 'utf8'));
writeFileSync(new URL(INTROSPECTION, target), JSON.stringify(introspection));
await bundleCommand();

async function bundleCommand(): Promise<void> {
  const list = fileURLToPath(new URL('packages.json', target));
  await build({
    configFile: false,
    root: fileURLToPath(root),
    logLevel: 'warn',
    plugins: [compiledModules, listBundledPackages(list)],
    ssr: { noExternal: true },
    build: {
      ssr: 'src/client/command/main.ts',
      outDir: fileURLToPath(target),
      emptyOutDir: false,
      target: 'node20',
      minify: true,
      rolldownOptions: { output: { entryFileNames: COMMAND } },
    },
  });
  const packages = JSON.parse(readFileSync(list, 'utf8')) as BundledPackage[];
  const sections = packages.map(
    ({ name, version, license, text = '' }) => `# ${name} ${version} (${license})\n\n${text}\n`,
  );
  writeFileSync(new URL(BUNDLED_LICENSES, target), sections.join('\n'));
  rmSync(list);
}

/** A fragment for the payload of each mutation. */
function outcomeFragments(): string {
  const schema = createSchema();
  const payloads = schema.getPossibleTypes(assertInterfaceType(schema.getType('WritePayload')));
  const details = Object.keys(assertObjectType(schema.getType('WriteError')).getFields());
  const fragments = payloads.map(
    ({ name }) => `fragment ${name.replace('Payload', 'Outcome')} on ${name} {
  outcome
  evidence
  errors {
    ...WriteErrorDetails
  }
}
`,
  );
  return `# The outcome of each mutation: spread these fragments into your operations. They are on the payloads' own types, because some caches
# drop the fields of a fragment on the interface.

fragment WriteErrorDetails on WriteError {
  ${details.join('\n  ')}
}

${fragments.join('\n')}`;
}
