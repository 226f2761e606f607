/** Sections of CHANGELOG.md: `## 1.2.3` as changesets write them, and before the first release `## [Unreleased]`. */

export const UNRELEASED = '[Unreleased]';

/** The text below the heading of a version; undefined if there is none. */
export function releaseNotes(changelog: string, version: string): string | undefined {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((text) => text.slice(0, text.indexOf('\n')).trim() === version);
  return section === undefined ? undefined : section.slice(section.indexOf('\n')).trim();
}
