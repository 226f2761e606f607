/** Idempotency keys through deploy/nginx.conf: two gateway processes behind it, and one Redis. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startNginx, type Nginx } from '../../support/deploy/nginx.js';
import { splitEvidence, withEvidence } from '../../support/graphql/evidence.js';
import { about, success } from '../../support/graphql/faultOperations.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/process/gatewayProcess.js';
import { startRedis } from '../../support/process/redis.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { startFaultServer } from '../../support/service/faultServer.js';
import { freePort } from '../../support/tools/freePort.js';
import { until } from '../../support/tools/waiting.js';
import { useStarted } from '../../support/tools/useStarted.js';
import { post } from '../../support/http/post.js';

skipIf(reasonToSkip('nginx') ?? reasonToSkip('redis-server'));

const TIMEOUT_MS = 60_000;
let redis: Awaited<ReturnType<typeof startRedis>>;
const service = useStarted(startFaultServer);
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => killProcesses());

let ports: [number, number];
let nginx: Nginx;
const gateways: GatewayProcess[] = [];
beforeEach(async () => {
  ports = [await freePort(), await freePort()];
  nginx = await startNginx(ports);
});
afterEach(async () => {
  service.plan = () => undefined;
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
  await nginx.stop();
});

async function start(port: number): Promise<GatewayProcess> {
  const gateway = startGatewayProcess({
    env: {
      NODE_ENV: 'production',
      PORT: String(port),
      SERVICE_URL: service.url,
      REDIS_URL: redis.url,
      SERVICE_TIMEOUT_MS: '1500',
    },
  });
  gateways.push(gateway);
  await gateway.listening();
  return gateway;
}

type Way = 'argument' | 'header';

/** Sends a tracking request through nginx. */
async function track(subject: string, key: string, way: Way) {
  const { query, variables } = about('trackShipment', subject);
  const withArgument = query
    .replace(/^mutation \(/, 'mutation ($idempotencyKey: ID, ')
    .replace('{ trackShipment(', '{ trackShipment(idempotencyKey: $idempotencyKey, ');
  const { data, errors, extensions } = await (way === 'argument'
    ? post(`${nginx.url}/graphql`, {
        query: withEvidence(withArgument),
        variables: { ...variables, idempotencyKey: key },
      })
    : post(
        `${nginx.url}/graphql`,
        { query: withEvidence(query), variables },
        { headers: { 'idempotency-key': key } },
      ));
  return { ...splitEvidence(data), errors, extensions };
}

const callsOf = (subject: string) =>
  service.requests.filter((request) => request.subject === subject).map(({ method }) => method);

test.each<Way>(['argument', 'header'])(
  'a tracking request with the same key as %s is sent once through both processes, although one is killed',
  { timeout: TIMEOUT_MS },
  async (way) => {
    const subject = `through-nginx-${way}`;
    const key = randomUUID();
    const [first] = await Promise.all(ports.map(start));
    const replayed = { ...success('trackShipment', subject), evidence: { trackShipment: 'REPLAY' } };

    expect(await track(subject, key, way)).toEqual(success('trackShipment', subject));
    // nginx chooses the process of each at random.
    for (let count = 0; count < 10; count += 1) expect(await track(subject, key, way)).toEqual(replayed);
    await first?.stop();
    for (let count = 0; count < 3; count += 1) expect(await track(subject, key, way)).toEqual(replayed);
    expect(callsOf(subject)).toEqual(['POST']);
  },
);

test(
  'a tracking request whose process is killed during the call is not sent again',
  { timeout: TIMEOUT_MS },
  async () => {
    const subject = 'killed-behind-nginx';
    const key = randomUUID();
    service.plan = () => ({ kind: 'hang' });
    const first = await start(ports[0]);
    const lost = track(subject, key, 'header');
    await until(() => callsOf(subject).length === 1);
    await first.stop();
    // nginx responds in place of the process.
    expect((await lost).errors?.map(({ extensions }) => extensions['code'])).toEqual([
      'INTERNAL_SERVER_ERROR',
    ]);

    service.plan = () => undefined;
    await start(ports[1]);
    const repeat = async () => {
      const { errors } = await track(subject, key, 'header');
      return errors?.map(({ extensions: { code, outcome, retryable } }) => ({ code, outcome, retryable }));
    };
    expect(await repeat()).toEqual([
      { code: 'IDEMPOTENCY_IN_PROGRESS', outcome: 'UNKNOWN', retryable: true },
    ]);
    const end = await until(async () => {
      const errors = await repeat();
      return errors?.[0]?.code !== 'IDEMPOTENCY_IN_PROGRESS' && { errors };
    }, 500);
    expect(end).toEqual({
      errors: [{ code: 'IDEMPOTENCY_OUTCOME_UNKNOWN', outcome: 'UNKNOWN', retryable: false }],
    });
    expect(callsOf(subject)).toEqual(['POST']);
  },
);
