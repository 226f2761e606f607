/** The file with the keys of clients, which holds their digests alone. */
import { readTextFile } from './files.js';

export interface ClientKey {
  readonly name: string;
  /** SHA-256 of the key. */
  readonly digest: Buffer;
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
