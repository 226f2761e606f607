/** What the measurement itself allows, and what a list takes at the least. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { requestOf } from './loadClient.js';
import { envelopeOf, GUIDS, recordOf } from './fixtures.js';
import { GATEWAY_CORE } from './gatewayProcess.js';
import { runLoad } from './load.js';

/** Requests a second of the load straight at the REST service: a gateway near it is held back by them. */
export async function measureCapacity(upstreamUrl: string, seconds: number): Promise<number> {
  const options = {
    port: Number(new URL(upstreamUrl).port),
    connections: 32,
    requests: GUIDS.map((guid) => requestOf('GET', `/v1/customnotifications/${guid}`)),
    bodyBytes: Buffer.byteLength(JSON.stringify(envelopeOf(GUIDS.slice(0, 1).map(recordOf)))),
    seconds,
  };
  await runLoad(options);
  const result = await runLoad(options);
  return result.answers / result.seconds;
}

/** Processor's time in microseconds for a notification that is only parsed, held against the contract and written. */
export function measureParseBaseline(): number {
  const file = fileURLToPath(new URL('parseBaseline.ts', import.meta.url));
  const args = ['-c', String(GATEWAY_CORE), process.execPath, '--import', 'tsx', file];
  return Number(execFileSync('taskset', args, { timeout: 60_000 }).toString());
}
