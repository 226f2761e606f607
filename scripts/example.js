/**
 * `npm run example`: the mock service, a gateway in front of it, and the app of examples/notifications/, until a signal.
 * PORT is that of the app, by default 5173.
 */
import { createServer } from 'vite';
import { createGateway, parseConfig } from '../dist/index.js';
import { startMockService } from '../dist/mock/mockService.js';
import { installIfStale } from './installIfStale.js';

const root = 'examples/notifications';
installIfStale(root);

const mock = await startMockService({ record: false });
const config = parseConfig({ PORT: '0', SERVICE_URL: mock.url, LOG_LEVEL: 'warn' });
const gateway = await createGateway({ config });
const { origin } = new URL(await gateway.listen());
const app = await createServer({
  root,
  server: {
    port: Number(process.env.PORT ?? 5173),
    proxy: { '/graphql': origin, '/mock/writes': { target: mock.url, rewrite: () => '/writes' } },
  },
  clearScreen: false,
});
await app.listen();
const [address] = app.resolvedUrls.local;
console.log(`\nApp: ${address}\nGraphQL: ${origin}/graphql\nPress Ctrl-C to stop.`);

process.removeAllListeners('SIGTERM'); // with that of Vite, the process would exit before the gateway has stopped
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, async () => {
    await Promise.all([app.close(), gateway.stop({ drainDelayMs: 0 })]);
    await mock.stop();
    process.exit(0);
  });
