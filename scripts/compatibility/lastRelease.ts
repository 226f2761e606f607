/** Compares the public surface with that of the last release. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareSurfaces, levels } from './changes.js';
import { PublicSurface, SURFACE_FILE } from './publicSurface.js';
import { isAtLeast, plannedBump, requiredBump } from './versionBump.js';

export interface Comparison {
  /** False if there are breaking changes without a version that permits them. */
  passed: boolean;
  /** For people; a line per change. */
  report: string;
}

/** Throws where the folder's git history does not tell what the last release is. */
export async function compareWithLastRelease(folder: string): Promise<Comparison> {
  const tag = lastReleaseTag(folder);
  if (tag === undefined) return { passed: true, report: 'No release yet: nothing to be compatible with' };
  const before = parseSurface(git(folder, 'show', `${tag}:${SURFACE_FILE}`));
  const after = parseSurface(readFileSync(join(folder, SURFACE_FILE), 'utf8'));
  const changes = await compareSurfaces(before, after);
  const counts = levels.map((level) => `${changes.filter((each) => each.level === level).length} ${level}`);
  const lines = [
    `Changes since ${tag}: ${counts.join(', ')}`,
    ...changes.map(({ level, message }) => `${level.padEnd(9)} ${message}`),
  ];

  const lastVersion = tag.slice(1);
  const [planned, required] = [plannedBump(folder, lastVersion), requiredBump(lastVersion)];
  const passed = changes.every(({ level }) => level !== 'breaking') || isAtLeast(planned, required);
  if (!passed)
    lines.push(`Expected a changeset of type ${required} for the breaking changes, got ${planned}`);
  return { passed, report: lines.join('\n') };
}

/** The newest tag such as v1.2.3 among the ancestors of HEAD. */
function lastReleaseTag(folder: string): string | undefined {
  const tags = git(folder, 'tag', '--list', 'v[0-9]*', '--merged', 'HEAD', '--sort=-version:refname');
  const tag = tags.split('\n').find((name) => /^v\d+\.\d+\.\d+$/.test(name));
  if (tag === undefined && git(folder, 'rev-parse', '--is-shallow-repository').trim() === 'true')
    throw new Error('Expected the whole history with its tags, got a shallow clone');
  return tag;
}

function parseSurface(text: string): PublicSurface {
  return PublicSurface.parse(JSON.parse(text));
}

function git(folder: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
}
