/** Limits of the measurement: throughput without a gateway, and the minimum CPU time of a list. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { requestOf } from './loadClient.js';
import { envelopeOf, GUIDS, recordOf } from './fixtures.js';
import { GATEWAY_CORE } from './gatewayProcess.js';
import { runLoad } from './load.js';

/**
 * Requests per second that the load generator and the REST service reach without a gateway. They limit a gateway that
 * comes close.
 */
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
  return result.responses / result.seconds;
}

/** CPU time in microseconds to parse, validate and serialize one notification, without HTTP or GraphQL. */
export function measureParseBaseline(): number {
  const file = fileURLToPath(new URL('parseBaseline.ts', import.meta.url));
  const args = ['-c', String(GATEWAY_CORE), process.execPath, '--import', 'tsx', file];
  return Number(execFileSync('taskset', args, { timeout: 60_000 }).toString());
}
