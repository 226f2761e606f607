/** The command of the package for clients, in processes that die at any moment: each row at most once, and every row accounted for. */
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Papa from 'papaparse';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startMockService, type Fault, type RestCall } from '../../../src/mock/mockService.js';
import { codeBlocks } from '../../docs/support/markdown.js';
import { startCutProxy } from '../../consumers/support/cuttingProxy.js';
import { startGateway } from '../../support/gateway/gateway.js';
import { startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { startRedis } from '../../support/process/redis.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { startProcess } from '../../support/process/startProcess.js';
import { freePort } from '../../support/tools/freePort.js';
import { sizes } from '../../support/tools/scale.js';
import { seededRandom } from '../../support/tools/seededRandom.js';
import { until } from '../../support/tools/waiting.js';

skipIf(reasonToSkip('redis-server', 'npm'));
vi.setConfig({ testTimeout: sizes.testTimeoutMs });

const COMMAND = join(process.cwd(), 'dist/client-package/command.js');
const HEADER = 'Load,Plate,SCAC,Phone';
const ROWS = 400;
const KILLS = 9;

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'rows-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Shipments of the mock, each with two drivers, some that it does not know, and some numbers that are none. */
const rowOf = (number: number) => {
  const shipment = number % 300;
  const load = number % 50 === 7 ? 'REF-9999' : `REF-${1001 + shipment}`;
  const phone = number % 60 === 9 ? '303' : `303-555-${String(1000 + number)}`;
  return [load, `PLATE-${3001 + shipment}`, `EXM${'ABCD'.charAt(shipment % 4)}`, phone].join(',');
};

function start(url: string, name: string, flags: readonly string[], limitBytes?: number) {
  const args = [COMMAND, 'trackShipments', name, '--url', url, ...flags];
  if (limitBytes === undefined) return startProcess(process.execPath, args, { cwd: folder });
  // No file of the process can become larger, as on a full disk.
  const shell = `ulimit -f ${Math.ceil(limitBytes / 512)}; exec "$@"`;
  return startProcess('sh', ['-c', shell, 'sh', process.execPath, ...args], { cwd: folder });
}

test('docs/files.md: each command prints what the page shows', async () => {
  const gateway = await startGateway({ env: { NODE_ENV: 'development' } });
  onTestFinished(() => gateway.stop());
  const [startsGateway, installs, ...commands] = codeBlocks('docs/files.md').filter(
    ({ language }) => language === 'sh',
  );
  expect(startsGateway?.text).toBe('npm ci && npm start\n');
  const sh = async (text: string, cwd: string) => {
    const local = text
      .replace('../dist/client-package', join(process.cwd(), 'dist/client-package'))
      .replaceAll('http://127.0.0.1:4000/graphql', gateway.url);
    const env = { HOME: folder, npm_config_offline: 'true', npm_config_audit: 'false' };
    const { code, stdout, stderr } = await startProcess('sh', ['-c', local], { cwd, env }).exited;
    return { code, stdout: stdout.replaceAll('\r', '').replace('\ufeff', ''), stderr };
  };
  expect(await sh(installs?.text ?? '', folder)).toMatchObject({ code: 0 });
  expect(commands).toHaveLength(6);
  const withoutIds = (text = '') => text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<request ID>');
  for (const [index, { text, next }] of commands.entries()) {
    // It takes a second of npm to find the program, which once is enough to show.
    const direct = index < 2 ? text : text.replace('npx ', 'node_modules/.bin/');
    const { code, stdout, stderr } = await sh(direct, join(folder, 'rows'));
    expect([0, 1], stderr).toContain(code); // 1: a row is wrong
    if (next?.language === 'text') expect(withoutIds(stdout)).toBe(withoutIds(next.text));
  }
});

test('400 rows are applied once each, whatever ends the processes, the connections and the gateway', async () => {
  const random = seededRandom('a file of rows');
  const redis = await startRedis();
  onTestFinished(() => redis.kill());

  /** How often the service has applied a row, by its phone number; or may have, where it has lost the connection. */
  const applied = new Map<string, number>();
  /** Of these, the service has lost the connection. */
  const lost = new Set<string>();
  const faultFor = ({ body }: RestCall): Fault => {
    const { DriverPhoneNumber: phone = '', FreightProviderReferenceNumber: load } = JSON.parse(
      body,
    ) as Record<string, string>;
    if (random.happens(0.01)) return { status: 429, headers: { 'retry-after': '0' } };
    if (load !== 'REF-9999') applied.set(phone, (applied.get(phone) ?? 0) + 1);
    if (!random.happens(0.005)) return {};
    lost.add(phone);
    return { disconnect: 'beforeResponse' };
  };
  const service = await startMockService({ faultFor, latencyMs: 150, record: false });
  onTestFinished(() => service.stop());
  const port = await freePort();
  const restart = async () => {
    const started = startGatewayProcess({
      env: { PORT: String(port), SERVICE_URL: service.url, REDIS_URL: redis.url, DRAIN_DELAY_MS: '0' },
    });
    await started.listening();
    return started;
  };
  let gateway = await restart();
  onTestFinished(() => gateway.stop());
  const proxy = await startCutProxy(`http://127.0.0.1:${port}/graphql`);

  let name = 'loads.csv';
  let numbers = Array.from({ length: ROWS }, (_, index) => index);
  const write = () => writeFileSync(join(folder, name), [HEADER, ...numbers.map(rowOf)].join('\n'));
  /** Whether the command got to sending rows before it ended. */
  const sentSome = async (command: { exited: Promise<unknown> }) => {
    const before = stateBytes();
    const isSending = until(() => stateBytes() > before + 1000).then(() => true);
    return Promise.race([isSending, command.exited.then(() => false)]);
  };
  const stateBytes = () => {
    const path = join(folder, `${name}.state.jsonl`);
    return existsSync(path) ? statSync(path).size : 0;
  };
  write();
  let cutShort = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const command = start(proxy.url, name, ['--resume']);
    // At any moment, or while rows are in flight.
    const isSending = random.happens(0.7) && (await sentSome(command));
    await delay(random.below(300));
    if (kill === 2) expect((await start(proxy.url, name, ['--resume']).exited).code).toBe(2);
    if (kill % 4 === 3) {
      proxy.cut();
      await delay(random.below(100));
    }
    command.kill('SIGKILL');
    if ((await command.exited).signal === 'SIGKILL' && isSending) cutShort += 1;
    if (kill === 2) {
      gateway.kill('SIGTERM');
      expect((await gateway.exited).code).toBe(0);
      gateway = await restart();
    }
    if (kill === 4) {
      const { code, stderr } = await start(proxy.url, name, ['--resume'], stateBytes() + 4000).exited;
      expect(stderr).toMatch(
        /^The state cannot be written \(.+\): nothing further is sent\. In flight: \d+ rows\.$/m,
      );
      expect([1, 3]).toContain(code);
    }
    if (kill === 5) {
      const interrupted = start(proxy.url, name, ['--resume']);
      await sentSome(interrupted);
      interrupted.kill('SIGINT');
      const { code, stderr } = await interrupted.exited;
      expect([1, 3]).toContain(code);
      expect(stderr).toMatch(/^Interrupted: nothing further is sent\. In flight: \d+ rows\.$/m);
    }
    if (kill === 7) {
      // The file has changed, and has another name.
      numbers = [
        ...numbers.slice(200),
        ...Array.from({ length: 20 }, (_, index) => ROWS + index),
        ...numbers.slice(0, 200),
      ];
      renameSync(join(folder, name), join(folder, 'others.csv'));
      name = 'others.csv';
      write();
    }
  }

  let last = await start(proxy.url, name, ['--resume', '--out', 'result.csv']).exited;
  for (let run = 0; run < 5 && last.stderr.includes('To continue:'); run += 1)
    last = await start(proxy.url, name, ['--resume', '--out', 'result.csv']).exited;

  const { data } = Papa.parse<Record<string, string>>(
    readFileSync(join(folder, 'result.csv'), 'utf8').trim(),
    { header: true },
  );
  expect(data.map(({ Load, Plate, SCAC, Phone }) => [Load, Plate, SCAC, Phone].join(','))).toEqual(
    numbers.map(rowOf),
  );
  const phonesOf = (outcome: string) =>
    data
      .filter((row) => row['Outcome'] === outcome)
      .map(({ Phone = '' }) => `+1${Phone.replaceAll('-', '')}`);
  const [yes, no, unknown] = ['APPLIED', 'NOT_APPLIED', 'UNKNOWN'].map(phonesOf) as [
    string[],
    string[],
    string[],
  ];
  console.log(
    `${yes.length} applied, ${no.length} not, ${unknown.length} unknown; ${cutShort} killed while sending, ${proxy.cuts()} cuts`,
  );
  expect([...applied].filter(([, count]) => count > 1)).toEqual([]);
  expect(yes.filter((phone) => !applied.has(phone))).toEqual([]);
  expect(no.filter((phone) => applied.has(phone))).toEqual([]);
  const known = new Set([...yes, ...unknown]);
  expect([...applied.keys()].filter((phone) => !known.has(phone))).toEqual([]);
  expect(yes.length + no.length + unknown.length).toBe(ROWS + 20);
  expect(unknown.filter((phone) => !lost.has(phone))).toEqual([]);
  expect(last.code).toBe(unknown.length > 0 ? 3 : 1);
  expect(cutShort).toBeGreaterThan(KILLS / 4);
});
