/** A replica behind deploy/nginx.conf that accepts connections and never responds. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { startNginx } from '../../support/deploy/nginx.js';
import { about, success } from '../../support/graphql/faultOperations.js';
import { productionEnv } from '../../support/process/minimalEnv.js';
import { parseLogLines, startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { startFaultServer } from '../../support/service/faultServer.js';
import { freePort } from '../../support/tools/freePort.js';
import { until } from '../../support/tools/waiting.js';
import { post } from '../../support/http/post.js';

skipIf(reasonToSkip('nginx'));

const TIMEOUT_MS = 60_000;
const INTERVAL_MS = 20;
/** nginx keeps a result for a second, by a clock that counts whole ones; the rest is for a busy machine. */
const DETECTED_AFTER_MS = 4000;
const OBSERVED_MS = 2000;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
  killProcesses();
});

test(
  'a replica that hangs gets no further mutation after 4 s, none is sent twice, and it returns once it responds',
  { timeout: TIMEOUT_MS },
  async () => {
    const service = await startFaultServer();
    cleanups.push(() => service.stop());
    const ports = [await freePort(), await freePort()] as const;
    const [hung] = await Promise.all(
      ports.map(async (port) => {
        const gateway = startGatewayProcess({
          env: { ...productionEnv, PORT: String(port), SERVICE_URL: service.url },
        });
        await gateway.listening();
        return gateway;
      }),
    );
    if (!hung) throw new Error('Expected two replicas');
    const nginx = await startNginx(ports);
    cleanups.push(() => nginx.stop());
    const load = startLoad(`${nginx.url}/graphql`);
    cleanups.push(() => load.stop());
    /** Numbers of the mutations that it has responded to. */
    const servedByHung = () =>
      parseLogLines(hung.output())
        .filter(({ msg }) => msg === 'Request')
        .map(({ requestId }) => Number(requestId));

    await until(() => servedByHung().length > 5);
    hung.kill('SIGSTOP');
    await sleep(DETECTED_AFTER_MS);
    const detectedAt = load.sent();
    await sleep(OBSERVED_MS);
    const resumedAt = load.sent();
    hung.kill('SIGCONT');
    await until(() => servedByHung().some((number) => number > resumedAt));

    const responses = await load.stop();
    const numbers = [...responses.keys()];
    // It may reject those that it has held, because its event loop was late.
    const rejected = numbers.filter((number) => isRejected(responses[number]));
    const applied = numbers.filter((number) => !rejected.includes(number));
    expect(applied.map((number) => responses[number])).toEqual(
      applied.map((number) => success('trackShipment', String(number))),
    );
    expect(service.requests.map(({ subject }) => Number(subject)).sort((a, b) => a - b)).toEqual(applied);
    const whileItHung = (number: number) => number >= detectedAt && number < resumedAt;
    expect([...servedByHung(), ...rejected].filter(whileItHung)).toEqual([]);
    expect(numbers.filter(whileItHung).length).toBeGreaterThan(OBSERVED_MS / INTERVAL_MS / 10);
  },
);

function isRejected(response: unknown): boolean {
  const { errors } = response as { errors?: { extensions: { code: string; outcome: string } }[] };
  const [error] = errors ?? [];
  return error?.extensions.code === 'SERVICE_UNAVAILABLE' && error.extensions.outcome === 'NOT_APPLIED';
}

/** Sends mutations at a constant rate; their numbers are their subjects and request IDs. */
function startLoad(url: string) {
  const responses: Promise<unknown>[] = [];
  const send = async (subject: string): Promise<unknown> => {
    const headers = { 'x-request-id': subject };
    return JSON.parse((await post(url, about('trackShipment', subject), { headers })).text);
  };
  const timer = setInterval(() => responses.push(send(String(responses.length)).catch(String)), INTERVAL_MS);
  return {
    sent: () => responses.length,
    stop(): Promise<unknown[]> {
      clearInterval(timer);
      return Promise.all(responses);
    },
  };
}
