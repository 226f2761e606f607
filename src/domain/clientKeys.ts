/** The file with the keys of clients, which holds their digests alone. */
import { timingSafeEqual } from 'node:crypto';
import { unwatchFile, watchFile } from 'node:fs';
import type { Logger } from 'pino';
import { readTextFile } from './files.js';

export interface ClientKey {
  readonly name: string;
  /** SHA-256 of the key. */
  readonly digest: Buffer;
}

export interface ClientKeysFile {
  readonly path: string;
  /** The keys in the file when the configuration was read. */
  readonly keys: readonly ClientKey[];
}

/** All problems, each with its line; without content of the file, which may have a key in the wrong place. */
export type ClientKeys = { readonly keys: readonly ClientKey[] } | { readonly problems: readonly string[] };

/** Every name may be a label of metrics, and a key that is sent is compared with all. */
const MAX_KEYS = 1000;

/** A name starts with a letter or a digit, so that no label of the gateway's own (`_JWT`) is one. */
const LINE = /^([A-Za-z\d][\w.-]{0,63})[ \t]+([\da-fA-F]{64})$/;

export function readClientKeys(path: string): ClientKeys {
  try {
    return parseClientKeys(readTextFile(path));
  } catch (error) {
    return { problems: [(error as Error).message] };
  }
}

/** How often the file is looked at, in milliseconds. Its path may lead through links, which Kubernetes replaces: no watch sees that. */
const POLL_MS = 1000;

/** The keys of a file, which is read again when it changes. An invalid one leaves the keys as they were. */
export function watchClientKeys({ path, ...file }: ClientKeysFile, log: Logger) {
  let { keys } = file;
  const read = () => {
    const result = readClientKeys(path);
    if ('problems' in result)
      log.error({ problems: result.problems }, 'Invalid CLIENT_KEYS_FILE: keeping the previous keys');
    else {
      keys = result.keys;
      log.info({ keys: keys.length }, 'Client keys read');
    }
  };
  watchFile(path, { interval: POLL_MS, persistent: false }, read);
  return {
    /** The name of the client whose key has this digest. Compares with all, so that its time tells nothing. */
    nameOf: (digest: Buffer) => keys.filter((each) => timingSafeEqual(digest, each.digest))[0]?.name,
    stop: () => unwatchFile(path, read),
  };
}

function parseClientKeys(text: string): ClientKeys {
  const keys: ClientKey[] = [];
  const problems: string[] = [];
  const lineOf = new Map<string, number>();
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const number = index + 1;
    const [, name, hex] = LINE.exec(line) ?? [];
    const digest = hex?.toLowerCase();
    const earlier = digest === undefined ? undefined : lineOf.get(digest);
    if (name === undefined || digest === undefined)
      problems.push(`line ${number}: expected a name, a space, and the SHA-256 of a key in hexadecimal`);
    else if (earlier !== undefined)
      problems.push(`line ${number}: expected a unique key, got the one of line ${earlier}`);
    else {
      lineOf.set(digest, number);
      keys.push({ name, digest: Buffer.from(digest, 'hex') });
    }
  }
  if (keys.length > MAX_KEYS) problems.push(`expected at most ${MAX_KEYS} keys, got ${keys.length}`);
  if (problems.length === 0 && keys.length === 0) problems.push('expected at least one key, got none');
  return problems.length > 0 ? { problems } : { keys };
}
