/** Idempotency keys in Redis with replicas: at most one write per key, whichever Redis dies, and whenever and however it does. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { splitEvidence, withEvidence } from '../../support/graphql/evidence.js';
import { about } from '../../support/graphql/faultOperations.js';
import { post } from '../../support/http/post.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/process/gatewayProcess.js';
import { startRedisProxy } from '../../support/process/redisProxy.js';
import {
  command,
  startReplica,
  startReplicated,
  startSentinels,
  startCluster,
} from '../../support/process/redisTopologies.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { startFaultServer } from '../../support/service/faultServer.js';
import { until } from '../../support/tools/waiting.js';
import { useStarted } from '../../support/tools/useStarted.js';

skipIf(reasonToSkip('redis-server'));

const service = useStarted(startFaultServer);
const gateways: GatewayProcess[] = [];
afterAll(() => killProcesses());
beforeEach(() => {
  service.plan = () => undefined;
});
afterEach(() => Promise.all(gateways.splice(0).map((gateway) => gateway.stop())));

async function start(redisUrl: string) {
  const gateway = startGatewayProcess({
    env: {
      NODE_ENV: 'production',
      SERVICE_URL: service.url,
      REDIS_URL: redisUrl,
      SERVICE_TIMEOUT_MS: '1000',
    },
  });
  gateways.push(gateway);
  return { gateway, url: `${await gateway.listening()}/graphql` };
}

/** What a response says of a tracking call: its outcome, and in a word why. */
async function track(url: string, subject: string, key: string): Promise<string> {
  const { query, variables } = about('trackShipment', subject);
  const body = { query: withEvidence(query), variables };
  try {
    const { data, errors } = await post(url, body, { token: 'token', headers: { 'idempotency-key': key } });
    const [error] = errors ?? [];
    if (error) return `${String(error.extensions['outcome'])} ${String(error.extensions['code'])}`;
    return splitEvidence(data as Record<string, unknown>).evidence ? 'APPLIED replayed' : 'APPLIED success';
  } catch {
    return 'UNKNOWN no response';
  }
}

const keys = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ subject: `${randomUUID()}-${index}`, key: randomUUID() }));

describe('One server with a replica', () => {
  test('rejects claims that the replica does not have, and writes each key once after the failover', async () => {
    const { primary } = await startReplicated(0);
    const proxy = await startRedisProxy(primary.url);
    const replica = await startReplica(Number(new URL(proxy.url).port));
    await until(async () =>
      String(await command(primary.port, 'INFO', 'replication')).includes('state=online'),
    );
    const before = await start(primary.url);
    expect(await track(before.url, 'warm-up', randomUUID())).toBe('APPLIED success');
    proxy.onStep = () => false; // the replica receives nothing more
    const writes = keys(20);
    const first = await Promise.all(writes.map(({ subject, key }) => track(before.url, subject, key)));
    const timesBefore = writes.map(({ subject }) => service.timesExecuted('POST', subject));
    await primary.kill();
    await command(replica.port, 'REPLICAOF', 'NO', 'ONE');
    const after = await start(replica.url);
    const repeats = await Promise.all(writes.map(({ subject, key }) => track(after.url, subject, key)));
    expect({ first: new Set(first), timesBefore: new Set(timesBefore), repeats: new Set(repeats) }).toEqual({
      first: new Set(['NOT_APPLIED IDEMPOTENCY_UNAVAILABLE']),
      timesBefore: new Set([0]),
      repeats: new Set(['APPLIED success']),
    });
    expect(writes.map(({ subject }) => service.timesExecuted('POST', subject))).toEqual(writes.map(() => 1));
    await proxy.stop();
  });
});

describe('Sentinel', () => {
  test('smoke', async () => {
    const topology = await startSentinels();
    const { url, gateway } = await start(topology.url);
    expect(await track(url, 's1', randomUUID())).toBe('APPLIED success');
    const primary = await topology.primary();
    await primary.kill();
    const key = randomUUID();
    const seen: string[] = [];
    const t = Date.now();
    await until(async () => {
      const r = await track(url, 's2', key);
      if (seen.at(-1) !== r) seen.push(`${Date.now() - t} ${r}`);
      return r === 'APPLIED success';
    }, 100);
    console.log(seen, gateway.output());
    topology.stop();
  });
});

describe('Cluster', () => {
  test('smoke', async () => {
    const topology = await startCluster();
    const { url, gateway } = await start(topology.url);
    const results = await Promise.all(keys(30).map(({ subject, key }) => track(url, subject, key)));
    console.log(results, gateway.output());
    const [victim] = await topology.primaries();
    await topology.server(victim!.port).kill();
    const t = Date.now();
    await until(async () => {
      const r = await Promise.all(keys(30).map(({ subject, key }) => track(url, subject, key)));
      console.log(
        Date.now() - t,
        r.filter((x) => x !== 'APPLIED success'),
      );
      return r.every((x) => x === 'APPLIED success');
    }, 100);
    console.log(gateway.output());
    topology.stop();
  });
});
