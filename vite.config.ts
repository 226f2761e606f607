/** The build of the explorer, which runs in browsers. */
import { defineConfig } from 'vite';

export default defineConfig({
  root: 'src/explorer',
  base: './', // works behind any path prefix
  build: {
    outDir: '../../dist/explorer-pages',
    emptyOutDir: true,
    chunkSizeWarningLimit: 3000, // kB; the editor is one chunk
    // Packages that render on servers, too, say where they may.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
  worker: { format: 'es' },
});
