/** Writes the version of package.json, which changesets have raised, into the files that name the image. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const { name, version } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, string>;
const tag = new RegExp(String.raw`(${name ?? ''}:|newTag: )\d+\.\d+\.\d+`, 'g');

const files = execFileSync('git', ['ls-files', 'deploy', 'docs', 'test/docs'], { encoding: 'utf8' });
for (const file of files.trim().split('\n')) {
  const text = readFileSync(file, 'utf8');
  const tagged = text.replaceAll(tag, `$1${version ?? ''}`);
  if (tagged !== text) writeFileSync(file, tagged);
}
