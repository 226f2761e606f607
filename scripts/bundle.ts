/**
 * Writes the program as a few files, dist/main.js and what it loads when it is asked for, in the place of the compiled
 * one: to find and read more than a thousand files takes longer than all else that is done at the start.
 */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';

const root = fileURLToPath(new URL('../', import.meta.url));

/** Modules find files by their own address, which is here the one that each has when it is compiled by itself. */
const ownAddresses: Plugin = {
  name: 'own-addresses',
  transform: {
    filter: { id: `${root}src/**`, code: 'import.meta.url' },
    handler(code, id) {
      const compiled = relative(`${root}src`, id).replace(/ts$/, 'js');
      const address = `new URL(${JSON.stringify(`./${compiled}`)}, import.meta.url).href`;
      return { code: code.replaceAll('import.meta.url', address), map: null };
    },
  },
};

/** Of undici what the gateway uses: all of it is another fetch as well, and has Node load its own besides. */
const partsOfUndici: Plugin = {
  name: 'parts-of-undici',
  enforce: 'pre',
  resolveId: { filter: { id: /^undici$/ }, handler: (id) => `\0${id}` },
  load: {
    filter: { id: /^\0undici$/ },
    handler: () => `
      export { default as buildConnector } from 'undici/lib/core/connect.js';
      export { default as Client } from 'undici/lib/dispatcher/client.js';
    `,
  },
};

await build({
  configFile: false,
  root,
  logLevel: 'warn',
  plugins: [ownAddresses, partsOfUndici],
  // Packages that are CommonJS ask for this build of GraphQL; with the other one beside it, there would be two.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  ssr: { noExternal: true },
  build: {
    ssr: 'src/main.ts',
    outDir: 'dist',
    emptyOutDir: false,
    target: 'node20',
    sourcemap: true,
    license: { fileName: 'licenses.md' }, // of the packages within
    rolldownOptions: {
      // It stays as it is compiled, since packages that it uses look for files beside their own.
      external: './reference-service/referenceService.js',
      // The names of folders and files of the compiled library are taken.
      output: { chunkFileNames: 'program-[name].js' },
    },
  },
});
