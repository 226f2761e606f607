import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { createLogOutput } from '../../src/telemetry/log.js';
import { until } from '../support/tools/waiting.js';

const FULL_VOLUME = '/dev/full';
const LINE = `${'x'.repeat(99)}\n`;

afterEach(() => vi.restoreAllMocks());

function countLines(path: string): number {
  return readFileSync(path, 'utf8').split(LINE).length - 1;
}

test('writes every line once, and in order, those that wait at the exit included', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'log-'));
  const path = join(folder, 'log');
  const fd = openSync(path, 'w');
  const output = createLogOutput({ fd, maxWaitingBytes: 1_000_000 });
  for (let line = 0; line < 1000; line += 1) output.write(LINE);
  await until(() => countLines(path) === 1000);
  output.write('last\n');
  output.flushSync();
  expect(readFileSync(path, 'utf8')).toBe(`${LINE.repeat(1000)}last\n`);
  expect(output.droppedLines()).toBe(0);
  closeSync(fd);
  rmSync(folder, { recursive: true });
});

test('an exit loses nothing of what waits behind a write in flight', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'log-'));
  const path = join(folder, 'log');
  const fd = openSync(path, 'a');
  const output = createLogOutput({ fd, maxWaitingBytes: 10_000_000 });
  output.write(LINE.repeat(30_000)); // more than one write
  await until(() => readFileSync(path).length > 0);
  output.flushSync();
  await until(() => readFileSync(path).length === 30_000 * LINE.length);
  closeSync(fd);
  rmSync(folder, { recursive: true });
});

test.skipIf(!existsSync(FULL_VOLUME))(
  'drops and counts the lines that exceed what may wait, and warns once a minute',
  { retry: 3 }, // on a busy machine, a write may be in flight when the output is flushed
  async () => {
    const warn = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const output = createLogOutput({ fd: openSync(FULL_VOLUME, 'w'), maxWaitingBytes: 50_000 });
    for (let line = 0; line < 600; line += 1) output.write(LINE);
    await setTimeout(350); // not when a write is tried
    expect(output.droppedLines()).toBe(100);
    output.flushSync();
    expect(output.droppedLines()).toBe(600);
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/^Log lines cannot be written to stdout: .+\n$/)],
    ]);
  },
);
