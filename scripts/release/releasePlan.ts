/** Decides what is to be released, by the version, the changelog, the changesets and the tags. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pendingChangesets } from '../compatibility/versionBump.js';
import { releaseNotes, UNRELEASED } from './changelog.js';

export interface ReleasePlan {
  action: 'none' | 'version' | 'publish';
  version: string;
}

export function planRelease(folder: string): ReleasePlan {
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const changelog = read('CHANGELOG.md');
  // The text of the first release has no version yet.
  if (releaseNotes(changelog, UNRELEASED) !== undefined) return { action: 'none', version };
  if (pendingChangesets(folder).length > 0) return { action: 'version', version };
  const isReady = releaseNotes(changelog, version) !== undefined && !hasTag(folder, `v${version}`);
  return { action: isReady ? 'publish' : 'none', version };
}

function hasTag(folder: string, tag: string): boolean {
  return execFileSync('git', ['tag', '--list', tag], { cwd: folder, encoding: 'utf8' }) !== '';
}
