import { defineConfig } from 'vite';

/** In production, a load balancer in front of both does this, or the gateway allows the origin of the app (CORS_ORIGINS). */
const proxy = { '/graphql': process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:4000' };

export default defineConfig({
  server: { proxy },
  preview: { proxy },
  // The package is a link to a folder outside of node_modules, whose peers are here.
  resolve: { preserveSymlinks: true },
  optimizeDeps: { exclude: ['shipment-graphql-client'] },
});
