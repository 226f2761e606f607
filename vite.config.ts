/** The build of the explorer, which runs in browsers. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import { listBundledPackages } from './scripts/bundledPackages.js';

const OUTPUT = 'dist/explorer-pages';

const bundledPackages = listBundledPackages('dist/packages-explorer.json');

export default defineConfig({
  root: 'src/explorer',
  base: './', // works behind any path prefix
  plugins: [compressAssets(), bundledPackages],
  build: {
    outDir: `../../${OUTPUT}`,
    emptyOutDir: true,
    chunkSizeWarningLimit: 3000, // kB; the editor is one chunk
    // Packages that render on servers, too, say where they may.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
  worker: { format: 'es', plugins: () => [bundledPackages] },
});

/** Writes each asset a second and third time, compressed, so that the gateway has no work with it. */
function compressAssets(): Plugin {
  return {
    name: 'compress-assets',
    closeBundle() {
      const folder = new URL(`${OUTPUT}/assets/`, import.meta.url);
      for (const file of readdirSync(folder)) {
        const content = readFileSync(new URL(file, folder));
        // Quality 9 takes a second, and 11 a quarter of a minute for 5 % less.
        const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
        writeFileSync(new URL(`${file}.br`, folder), brotliCompressSync(content, { params }));
        writeFileSync(new URL(`${file}.gz`, folder), gzipSync(content, { level: 9 }));
      }
    },
  };
}
