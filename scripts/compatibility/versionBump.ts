/** The version bump since the last release: planned by changesets, or already in package.json. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const bumps = ['none', 'patch', 'minor', 'major'] as const;
export type Bump = (typeof bumps)[number];

/** Changeset files that no version has consumed yet. */
export function pendingChangesets(folder: string): string[] {
  const changesets = join(folder, '.changeset');
  if (!existsSync(changesets)) return [];
  return readdirSync(changesets)
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .map((file) => join(changesets, file));
}

/** The greatest bump of the changesets, or the one from the last release's version to that of package.json. */
export function plannedBump(folder: string, lastVersion: string): Bump {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  return [bumpBetween(lastVersion, version), ...pendingChangesets(folder).flatMap(bumpsOf)].reduce(greater);
}

/** Before 1.0, minor versions may break. */
export function requiredBump(lastVersion: string): Bump {
  return lastVersion.startsWith('0.') ? 'minor' : 'major';
}

export function isAtLeast(bump: Bump, required: Bump): boolean {
  return bumps.indexOf(bump) >= bumps.indexOf(required);
}

function greater(one: Bump, other: Bump): Bump {
  return isAtLeast(one, other) ? one : other;
}

/** The front matter of a changeset has a bump by package name. */
function bumpsOf(file: string): Bump[] {
  const [, frontMatter = ''] = readFileSync(file, 'utf8').split(/^---$/m);
  const releases = (parse(frontMatter) ?? {}) as Record<string, Bump>;
  return Object.values(releases);
}

function bumpBetween(before: string, after: string): Bump {
  const [from, to] = [before.split('.'), after.split('.')];
  const first = from.findIndex((part, index) => part !== to[index]);
  return (['major', 'minor', 'patch'] as const)[first] ?? 'none';
}
