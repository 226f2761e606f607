/** Why a file that a variable names cannot be read, in words. */
import { isAbsolute } from 'node:path';

/** What there is instead of a readable file, such as `/etc/keys, which does not exist (ENOENT)`. */
export function unreadableFile(error: unknown, path: string): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  return `${describePath(path)}, which ${reasons[code] ?? 'is invalid'} (${code})`;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'this process may not read',
  EISDIR: 'is a directory',
};

/** A relative path could be a secret in the wrong variable. */
export function describePath(path: string): string {
  return isAbsolute(path) ? path : 'a relative path';
}
