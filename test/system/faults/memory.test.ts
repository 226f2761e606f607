/** Responses of any size: the gateway's memory does not grow with them. The gateway runs in a separate process. */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import pMap from 'p-map';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { invalid } from '../../support/service/faultCases.js';
import { about, failure, success } from '../../support/graphql/faultOperations.js';
import type { FaultPlan } from '../../support/service/faults.js';
import { startFaultServer } from '../../support/service/faultServer.js';
import { productionEnv } from '../../support/process/minimalEnv.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/process/gatewayProcess.js';
import { PEAK_MEMORY_PROBE } from '../../support/process/probes.js';
import { sizes } from '../../support/tools/scale.js';
import { useStarted } from '../../support/tools/useStarted.js';
import { post } from '../../support/http/post.js';

vi.setConfig({ testTimeout: sizes.testTimeoutMs, hookTimeout: sizes.testTimeoutMs });

const MEBIBYTE = 1_048_576;
const GIBIBYTE = 1024 * MEBIBYTE;
let gateway: GatewayProcess;
let url = '';
const service = useStarted(startFaultServer);
beforeAll(async () => {
  gateway = startGatewayProcess({
    env: { ...productionEnv, SERVICE_URL: service.url },
    probe: PEAK_MEMORY_PROBE,
  });
  url = `${await gateway.listening()}/graphql`;
});
afterAll(() => gateway.stop());

async function peakBytes(): Promise<number> {
  return (await gateway.ask('peak')) as number;
}

async function read(subject: string): Promise<unknown> {
  const { data, errors } = await post(url, about('notification', subject));
  return { data, errors };
}

/** A gibibyte of zeros: concatenated gzip members are one gzip file (RFC 1952 §2.2). */
const gzipBomb = () => Buffer.concat(Array<Buffer>(64).fill(gzipSync(Buffer.alloc(16 * MEBIBYTE))));
const brotliBomb = () =>
  brotliCompressSync(Buffer.alloc(128 * MEBIBYTE), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

const responses: Readonly<Record<string, FaultPlan>> = {
  'a gibibyte of unknown length': { kind: 'stream', bytes: GIBIBYTE, isDeclared: false },
  'a gibibyte of declared length': { kind: 'stream', bytes: GIBIBYTE, isDeclared: true },
  'a gzip bomb': { kind: 'respond', headers: { 'content-encoding': 'gzip' }, body: gzipBomb() },
  'a brotli bomb': { kind: 'respond', headers: { 'content-encoding': 'br' }, body: brotliBomb() },
};

test.each(Object.entries(responses))(
  'resident memory grows by less than 64 MB when the service sends %s',
  async (name, fault) => {
    const subjects = Array.from({ length: 100 }, (_, index) => `healthy ${index}`);
    expect(await pMap(subjects, read, { concurrency: 8 })).toEqual(
      subjects.map((subject) => success('notification', subject)),
    );
    await peakBytes();
    await read('healthy at first');
    const bytesBefore = await peakBytes();

    const message =
      fault.kind === 'stream'
        ? 'The response is too large'
        : 'The response cannot be decompressed or is too large';
    for (let index = 0; index < sizes.largeResponses; index += 1) {
      service.faults.set(`${name} ${index}`, [fault]);
      expect(await read(`${name} ${index}`)).toEqual(failure('notification', invalid(message)));
    }
    const grownBytes = (await peakBytes()) - bytesBefore;
    expect(await read('healthy at last')).toEqual(success('notification', 'healthy at last'));
    const sentBytes = Math.max(...service.connections.map(({ bytesSent }) => bytesSent));
    console.log(
      `${name}: ${mebibytes(bytesBefore)} MiB resident, ${mebibytes(grownBytes)} MiB more; the service sent at most ${mebibytes(sentBytes)} MiB of a response`,
    );
    expect(grownBytes).toBeLessThan(64_000_000);
    expect(sentBytes).toBeLessThan(64_000_000);
  },
);

function mebibytes(bytes: number): number {
  return Math.round(bytes / MEBIBYTE);
}
