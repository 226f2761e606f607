/** Text files that variables name, all read in one way, and the one among them with the keys of clients. */
import { isUtf8 } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';
import { readFileSync, statSync, unwatchFile, watchFile } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Logger } from 'pino';

/** More than any of them needs: a manifest of ten thousand operations. */
const MAX_FILE_BYTES = 16_777_216;

/** Throws an Error whose message says what was expected, without the content of the file. */
export function readTextFile(path: string): string {
  const fail = (expected: string): never => {
    throw new Error(`expected ${expected}`);
  };
  try {
    // Before it is opened: reading a pipe would wait for its writer.
    const file = statSync(path);
    if (!file.isFile()) fail(`a regular file, got ${describePath(path)}, which is not one`);
    if (file.size > MAX_FILE_BYTES) fail(`a file of at most ${MAX_FILE_BYTES} bytes, got ${file.size}`);
    const bytes = readFileSync(path);
    if (!isUtf8(bytes)) fail('a text file in UTF-8, got other bytes');
    return bytes.toString().replace(/^\uFEFF/, ''); // the byte order mark
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return fail(
      `a readable file, got ${describePath(path)}, which ${reasons[code] ?? 'is invalid'} (${code})`,
    );
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

export interface ClientKeysFile {
  readonly path: string;
  /** The keys in the file when the configuration was read. */
  readonly keys: readonly ClientKey[];
}

export interface ClientKey {
  readonly name: string;
  /** SHA-256 of the key. */
  readonly digest: Buffer;
}

/** Every name may be a label of metrics, and a key that is sent is compared with all. */
const MAX_KEYS = 1000;

/** A name starts with a letter or a digit, so that no label of the gateway's own (`_JWT`) is one. */
const KEY_LINE = /^([A-Za-z\d][\w.-]{0,63})[ \t]+([\da-fA-F]{64})$/;

/** Throws an Error with all problems, each with its line; without content of the file, which may have a key in the wrong place. */
export function readClientKeys(path: string): ClientKey[] {
  const keys: ClientKey[] = [];
  const problems: string[] = [];
  const lineOf = new Map<string, number>();
  for (const [index, raw] of readTextFile(path).split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const [, name = '', hex = ''] = KEY_LINE.exec(line) ?? [];
    const digest = hex.toLowerCase();
    const expected =
      name === ''
        ? 'a name, a space, and the SHA-256 of a key in hexadecimal'
        : lineOf.has(digest) && `a unique key, got the one of line ${lineOf.get(digest)}`;
    if (expected) problems.push(`line ${index + 1}: expected ${expected}`);
    lineOf.set(digest, index + 1);
    keys.push({ name, digest: Buffer.from(digest, 'hex') });
  }
  if (keys.length === 0) problems.push('expected at least one key, got none');
  if (keys.length > MAX_KEYS) problems.push(`expected at most ${MAX_KEYS} keys, got ${keys.length}`);
  if (problems.length > 0) throw new Error(problems.join('; '));
  return keys;
}

/** How often the file is looked at, in milliseconds. Its path may lead through links, which Kubernetes replaces: no watch sees that. */
const POLL_MS = 1000;

/** The keys of a file, which is read again when it changes. An invalid one leaves the keys as they were. */
export function watchClientKeys({ path, ...file }: ClientKeysFile, log: Logger) {
  let { keys } = file;
  const read = () => {
    try {
      keys = readClientKeys(path);
      log.info({ keys: keys.length }, 'Client keys read');
    } catch (error) {
      const { message: reason } = error as Error;
      log.error({ reason }, 'Invalid CLIENT_KEYS_FILE: keeping the previous keys');
    }
  };
  watchFile(path, { interval: POLL_MS, persistent: false }, read);
  return {
    /** The name of the client whose key has this digest. Compares with all, so that its time tells nothing. */
    nameOf: (digest: Buffer) => keys.filter((each) => timingSafeEqual(digest, each.digest))[0]?.name,
    stop: () => unwatchFile(path, read),
  };
}
