/** The build of the explorer, which runs in browsers. */
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import { listBundledPackages } from '../../scripts/bundledPackages.js';

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

/** Keeps each asset only compressed: a third of the size, as all browsers accept it. */
function compressAssets(): Plugin {
  return {
    name: 'compress-assets',
    closeBundle() {
      const folder = new URL(`../../${OUTPUT}/assets/`, import.meta.url);
      for (const name of readdirSync(folder)) {
        const file = new URL(name, folder);
        writeFileSync(new URL(`${name}.gz`, folder), gzipSync(readFileSync(file), { level: 9 }));
        rmSync(file);
      }
    },
  };
}
