import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startProcess } from '../../support/process/startProcess.js';

const DAY = 86_400;
const outputs = ['dist/index.js', 'dist/schema.graphql', 'dist/main.js', 'dist/explorer-pages/index.html'];
const sources = [
  'src/main.ts',
  'src/explorer/main.tsx',
  'schema/base.graphql',
  'node_modules/vite/package.json',
];

/** A project whose build prints "built", and whose outputs are a day newer than its sources. */
let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'stale-'));
  for (const file of [...outputs, ...sources]) {
    mkdirSync(join(project, dirname(file)), { recursive: true });
    writeFileSync(join(project, file), '');
  }
  writeFileSync(join(project, 'package.json'), '{"type":"module","scripts":{"build":"echo built"}}');
  cpSync('scripts/buildIfStale.js', join(project, 'scripts/buildIfStale.js'));
  for (const file of outputs) touch(file, DAY);
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

const touch = (file: string, seconds: number) => {
  const time = Date.now() / 1000 + seconds;
  utimesSync(join(project, file), time, time);
};
const buildIfStale = async () => {
  const args = ['scripts/buildIfStale.js', 'build'];
  const { code, stdout, stderr } = await startProcess(process.execPath, args, { cwd: project }).exited;
  return { code, isBuilt: /^built$/m.test(stdout), message: stderr.split('\n')[0] };
};

test('npm start does not build what is newer than its sources', async () => {
  expect(await buildIfStale()).toEqual({ code: 0, isBuilt: false, message: '' });
});

test.each(['src/main.ts', 'src'])(
  'npm start builds after a change of %s, or a deletion in it',
  async (file) => {
    touch(file, 2 * DAY);
    const message = `${file} is newer than dist/: running "npm run build"`;
    expect(await buildIfStale()).toEqual({ code: 0, isBuilt: true, message });
  },
);

test('npm start uses an old build without the development dependencies', async () => {
  touch('src/main.ts', 2 * DAY);
  rmSync(join(project, 'node_modules'), { recursive: true });
  const message =
    'src/main.ts is newer than dist/, but the development dependencies are not installed: starting the existing build';
  expect(await buildIfStale()).toEqual({ code: 0, isBuilt: false, message });
});
