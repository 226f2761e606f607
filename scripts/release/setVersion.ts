/** Writes the version of package.json, which is the source, into every other file that names it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { releaseNotes, UNRELEASED } from './changelog.js';

/** Files and folders that name the image with its version. */
const IMAGE_USERS = ['deploy', 'docs', 'test/docs/examples.test.ts'];

/** The first release: the section Unreleased becomes that of the version. */
export function takeUnreleased(folder: string, version: string): void {
  if (!/^\d+\.\d+\.\d+$/.test(version))
    throw new Error(`Expected a version such as 1.0.0, got ${JSON.stringify(version)}`);
  const changelog = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');
  if (releaseNotes(changelog, UNRELEASED) === undefined)
    throw new Error(`Expected a section "## ${UNRELEASED}" in CHANGELOG.md: later versions have changesets`);
  rewrite(join(folder, 'CHANGELOG.md'), (text) => text.replace(`## ${UNRELEASED}`, `## ${version}`));
  rewrite(join(folder, 'package.json'), (text) =>
    text.replace(/^ {2}"version": ".*"/m, `  "version": "${version}"`),
  );
}

/** Changesets would put their section above it. */
export function expectNoUnreleased(folder: string): void {
  if (releaseNotes(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8'), UNRELEASED) !== undefined)
    throw new Error(
      `Expected the version of the first release, as CHANGELOG.md has a section "## ${UNRELEASED}"`,
    );
}

export function setVersion(folder: string): void {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
  };
  rewrite(join(folder, 'package-lock.json'), (text) => {
    const lock = JSON.parse(text) as { version: string; packages: { '': { version: string } } };
    lock.version = version;
    lock.packages[''].version = version;
    return `${JSON.stringify(lock, null, 2)}\n`;
  });
  // As a tag of the image, and in Kustomize files.
  const tag = new RegExp(`(${name}:|newTag: ['"]?)\\d+\\.\\d+\\.\\d+`, 'g');
  for (const file of IMAGE_USERS.flatMap((path) => filesOf(join(folder, path))))
    rewrite(file, (text) => text.replaceAll(tag, `$1${version}`));
}

function filesOf(path: string): string[] {
  if (/\.\w+$/.test(path)) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:md|ya?ml|ts)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

function rewrite(file: string, change: (text: string) => string): void {
  const before = readFileSync(file, 'utf8');
  const after = change(before);
  if (after !== before) writeFileSync(file, after);
}
