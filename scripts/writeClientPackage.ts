/** Completes dist/client-package/, whose modules tsc has written: the package of what front ends use, with the version of the gateway. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const target = new URL('dist/client-package/', root);
const { version, license } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  version: string;
  license: string;
};

const entry = (name: string) => ({
  types: `./dist/client/${name}.d.ts`,
  default: `./dist/client/${name}.js`,
});
/** Files next to the modules, and where they come from. */
const files = {
  LICENSE: 'LICENSE',
  'README.md': 'src/client/README.md',
  'codegen.json': 'src/client/codegen.json',
  'introspection.json': 'dist/introspection.json',
  'operations.graphql': 'src/client/operations.graphql',
  'schema.graphql': 'dist/schema.graphql',
};
const peers = {
  '@apollo/client': '^4.0.0',
  '@urql/core': '^6.0.0',
  graphql: '^16.0.0 || ^17.0.0',
  'react-hook-form': '^7.0.0',
  rxjs: '^7.3.0',
  wonka: '^6.0.0',
};

const manifest = {
  name: 'shipment-graphql-client',
  version,
  description:
    'Outcomes, idempotency keys, retries, lists and forms for front ends of the shipment GraphQL gateway',
  keywords: ['graphql', 'apollo-client', 'urql', 'react-hook-form', 'idempotency', 'retry'],
  license,
  type: 'module',
  sideEffects: false,
  exports: {
    '.': entry('index'),
    './apollo': entry('apollo'),
    './batch': entry('batch'),
    './urql': entry('urql'),
    './react-hook-form': entry('reactHookForm'),
    ...Object.fromEntries(
      Object.keys(files)
        .filter((file) => /\.(graphql|json)$/.test(file))
        .map((file) => [`./${file}`, `./${file}`]),
    ),
    './package.json': './package.json',
  },
  files: ['dist', ...Object.keys(files).filter((file) => /\.(graphql|json)$/.test(file))],
  peerDependencies: peers,
  peerDependenciesMeta: Object.fromEntries(Object.keys(peers).map((name) => [name, { optional: true }])),
};

writeFileSync(new URL('package.json', target), `${JSON.stringify(manifest, null, 2)}\n`);
for (const [file, source] of Object.entries(files))
  copyFileSync(new URL(source, root), new URL(file, target));
