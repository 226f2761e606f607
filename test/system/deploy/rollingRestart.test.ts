import { Pool } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { startMockService } from '../../../src/mock/mockService.js';
import { sizes } from '../../support/tools/scale.js';
import { freePort } from '../../support/tools/freePort.js';
import { startNginx } from '../../support/deploy/nginx.js';
import { productionEnv } from '../../support/process/minimalEnv.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/process/gatewayProcess.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { killProcesses } from '../../support/process/startProcess.js';

/** So few that a busy machine sheds none. */
const REQUESTS_PER_SECOND = 50;
const QUERY = JSON.stringify({ query: '{ notifications { totalPossibleCount } }' });

skipIf(reasonToSkip('nginx'));

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
  killProcesses();
});

test(
  `a rolling restart of the replicas loses no request (${sizes.restarts} restarts)`,
  { timeout: sizes.testTimeoutMs },
  async () => {
    const service = await startMockService({ record: false });
    cleanups.push(() => service.stop());
    const ports = [await freePort(), await freePort()] as const;
    const start = async (port: number) => {
      const program = startGatewayProcess({
        env: {
          ...productionEnv,
          SERVICE_URL: service.url,
          PORT: String(port),
          DRAIN_DELAY_MS: '1500', // longer than nginx keeps an idle connection (deploy/nginx.conf)
        },
      });
      await program.listening();
      return program;
    };
    const replicas: [GatewayProcess, GatewayProcess] = [await start(ports[0]), await start(ports[1])];
    const nginx = await startNginx(ports);
    cleanups.push(() => nginx.stop());
    const load = startLoad(nginx.url);
    cleanups.push(() => load.stop());

    for (let count = 0; count < sizes.restarts; count++) {
      const index = (count % 2) as 0 | 1;
      replicas[index].kill('SIGTERM');
      expect(await replicas[index].exited).toMatchObject({ code: 0, stderr: '' });
      replicas[index] = await start(ports[index]);
    }
    const { sent, outcomes } = await load.stop();
    console.log(`${sizes.restarts} restarts during ${sent} requests; outcomes: ${JSON.stringify(outcomes)}`);
    expect(outcomes).toEqual({ '200 {"data":{"notifications":{"totalPossibleCount":36}}}': sent });
    expect(sent).toBeGreaterThan((sizes.restarts * REQUESTS_PER_SECOND) / 2);
  },
);

/** Sends requests at a constant rate over keep-alive connections, and counts their outcomes. */
function startLoad(origin: string) {
  const clients = new Pool(origin, { connections: 50 });
  const outcomes: Record<string, number> = {};
  const inFlight = new Set<Promise<void>>();
  const startedAt = performance.now();
  let sent = 0;
  const outcomeOf = async () => {
    const { statusCode, body } = await clients.request({
      path: '/graphql',
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer a' },
      body: QUERY,
    });
    return `${statusCode} ${JSON.stringify(await body.json())}`;
  };
  const send = () => {
    sent += 1;
    const pending = outcomeOf()
      .catch((error: unknown) => String(error))
      .then((outcome) => {
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
        inFlight.delete(pending);
      });
    inFlight.add(pending);
  };
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1000) * REQUESTS_PER_SECOND;
    while (sent < due) send();
  }, 5);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(inFlight);
      await clients.destroy();
      return { sent, outcomes };
    },
  };
}
