/**
 * Replaces the compiled dist/main.js with a bundle: one file plus lazily loaded chunks. Resolving and reading more than
 * 1,200 modules takes longer than everything else at startup; bundled, the first response comes after 0.39 s instead
 * of 0.92 s, and the idle process uses 98 MB instead of 130 MB.
 */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';
import { listBundledPackages } from './bundledPackages.js';

const root = fileURLToPath(new URL('../', import.meta.url));

/** Modules locate files relative to `import.meta.url`: gives each the URL of its unbundled counterpart in dist/. */
const originalModuleUrls: Plugin = {
  name: 'original-module-urls',
  transform: {
    filter: { id: `${root}src/**`, code: 'import.meta.url' },
    handler(code, id) {
      const compiled = relative(`${root}src`, id).replace(/ts$/, 'js');
      const moduleUrl = `new URL(${JSON.stringify(`./${compiled}`)}, import.meta.url).href`;
      return { code: code.replaceAll('import.meta.url', moduleUrl), map: null };
    },
  },
};

/**
 * Bundles only the modules of undici that the gateway uses: the rest includes a second fetch and loads Node's own. Measured
 * on Node 20: first response after 253 ms instead of 277 ms, 80 MB idle instead of 90 MB.
 */
const undiciSubset: Plugin = {
  name: 'undici-subset',
  enforce: 'pre',
  resolveId: { filter: { id: /^undici$/ }, handler: (id) => `\0${id}` },
  load: {
    filter: { id: /^\0undici$/ },
    handler: () => `
      export { default as buildConnector } from 'undici/lib/core/connect.js';
      import Client from 'undici/lib/dispatcher/client.js';
      import connect from 'undici/lib/api/api-connect.js';
      Client.prototype.connect = connect; // as undici itself does
      export { Client };
    `,
  },
};

/** Keeps the mock out of the bundle, and with that out of the image. */
const compiledMock: Plugin = {
  name: 'compiled-mock',
  enforce: 'pre',
  resolveId: {
    filter: { id: /\/mock\/mockService\.js$/ },
    handler: () => ({ id: './mock/mockService.js', external: 'relative' }),
  },
};

await build({
  configFile: false,
  root,
  logLevel: 'warn',
  plugins: [originalModuleUrls, undiciSubset, compiledMock, listBundledPackages('dist/packages-server.json')],
  // CommonJS packages load this build of graphql; a second copy would break its instanceof checks.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  ssr: { noExternal: true },
  build: {
    ssr: 'src/main.ts',
    outDir: 'dist',
    emptyOutDir: false,
    target: 'node20',
    rolldownOptions: {
      // A prefix that does not clash with the files of the compiled library.
      output: { chunkFileNames: 'program-[name].js' },
    },
  },
});
