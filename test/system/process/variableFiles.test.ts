import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { startReferenceService } from '../../../src/reference-service/referenceService.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/process/gatewayProcess.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { freePort } from '../../support/tools/freePort.js';
import { until } from '../../support/tools/waiting.js';

vi.setConfig({ testTimeout: 60_000 });

const TOKEN = '5ecret-of-16-characters';
const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
afterEach(() => {
  killProcesses();
  rmSync(folder, { recursive: true, force: true });
});

function listening({ output }: GatewayProcess): number[] {
  const matches = [...output().matchAll(/"pid":(\d+),[^\n]*"msg":"Server listening/g)];
  return [...new Set(matches.map(([, pid]) => Number(pid)))];
}

/** Sends an operation that needs the token, on a new connection, so that any worker may get it. */
async function readSubgraph(url: string): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer any',
      'x-subgraph-token': TOKEN,
      connection: 'close',
    },
    body: JSON.stringify({ query: '{ notifications { totalPossibleCount } _service { __typename } }' }),
  });
  return response.json();
}

/** Whether others who may inspect the process can read the token; only Linux tells. */
function hasTokenInEnvironment(pid: number): boolean {
  const file = `/proc/${pid}/environ`;
  return existsSync(file) && readFileSync(file, 'utf8').includes(TOKEN);
}

const response = {
  data: { notifications: { totalPossibleCount: 36 }, _service: { __typename: '_Service' } },
};

test('workers have the values that the primary read from files at startup, replacements too', async () => {
  const service = await startReferenceService();
  const [urlFile, tokenFile] = [join(folder, 'url'), join(folder, 'token')];
  writeFileSync(urlFile, `${service.url}\n`);
  writeFileSync(tokenFile, `${TOKEN}\n`);
  const port = await freePort();
  const cluster = startGatewayProcess({
    env: {
      NODE_ENV: 'production',
      WEB_CONCURRENCY: '2',
      PORT: String(port),
      SERVICE_URL_FILE: urlFile,
      SUBGRAPH_TOKEN_FILE: tokenFile,
    },
  });
  await until(() => listening(cluster).length === 2);
  const [victim = 0, other = 0] = listening(cluster);

  // A secret that was replaced, and one whose file is gone: the others keep what they have.
  writeFileSync(tokenFile, 'another-5ecret-of-this-cluster');
  rmSync(urlFile);
  process.kill(victim, 'SIGKILL');
  await until(() => listening(cluster).length === 3);
  process.kill(other, 'SIGKILL');
  await until(() => listening(cluster).length === 4);
  expect(await readSubgraph(`http://127.0.0.1:${port}/graphql`)).toEqual(response);
  expect(listening(cluster).slice(2).filter(hasTokenInEnvironment)).toEqual([]);

  cluster.kill('SIGTERM');
  expect(await cluster.exited).toMatchObject({ code: 0, stderr: '' });
  await service.stop();
});
