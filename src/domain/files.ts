/** Text files that variables name, all read in one way. */
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';

/** More than any of them needs: a manifest of ten thousand operations. */
const MAX_FILE_BYTES = 16_777_216;

const decoder = new TextDecoder('utf-8', { fatal: true }); // which leaves out a byte order mark

/** Throws an Error whose message says what was expected, without the content of the file. */
export function readTextFile(path: string): string {
  const fail = (expected: string): never => {
    throw new Error(`expected ${expected}`);
  };
  let bytes: Buffer;
  try {
    // Before it is opened: reading a pipe would wait for its writer.
    const file = statSync(path);
    if (!file.isFile()) fail(`a regular file, got ${describePath(path)}, which is not one`);
    if (file.size > MAX_FILE_BYTES) fail(`a file of at most ${MAX_FILE_BYTES} bytes, got ${file.size}`);
    bytes = readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return fail(
      `a readable file, got ${describePath(path)}, which ${reasons[code] ?? 'is invalid'} (${code})`,
    );
  }
  try {
    return decoder.decode(bytes);
  } catch {
    return fail('a text file in UTF-8, got other bytes');
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'this process may not read',
};

/** A relative path could be a secret in the wrong variable. */
function describePath(path: string): string {
  return isAbsolute(path) ? path : 'a relative path';
}
