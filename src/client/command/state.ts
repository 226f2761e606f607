/**
 * What is known of the rows of a file that were sent: lines of JSON next to it. A row has its line on the disk before it is sent, so a crash
 * at any moment forgets no key. A line that a crash has cut off was not synced, and its row not sent: it counts for nothing.
 */
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { clientOf } from '../batch.js';
import type { ListItem } from '../list.js';

/** A row of the list, with what the gateway has said of it. */
export type SentRow = ListItem<object> & {
  readonly requestId?: string;
  /** Of what was written, such as the `notificationGuid` of a creation. */
  readonly identifier?: string;
  /** The phone number as it is sent. */
  readonly number?: string;
};

/** What is sent where: another gateway and another field know nothing of a row. */
interface Scope {
  readonly url: string;
  readonly field: string;
}

interface Line extends Partial<Scope> {
  readonly row?: SentRow;
  /** The process that has opened the file, or null once it has closed it. */
  readonly pid?: number | null;
}

const SUFFIX = '.state.jsonl';

/**
 * The rows that were sent from a file in the folder, whatever its name, by what they are in the notation of the file and in that of the gateway.
 * What was not applied is like new.
 */
export function knownRows(file: string, { url, field }: Scope): Map<string, { row: SentRow; name: string }> {
  const folder = dirname(file);
  const isOwn = (name: string) => name === basename(file) + SUFFIX;
  const states = readdirSync(folder).filter((name) => name.endsWith(SUFFIX));
  const known = new Map<string, { row: SentRow; name: string }>();
  for (const state of states.sort((one, other) => Number(isOwn(one)) - Number(isOwn(other)))) {
    const lines = linesOf(join(folder, state)).filter((line) => line.url === url && line.field === field);
    for (const row of new Map(lines.flatMap(({ row }) => (row ? [[row.key, row]] : []))).values()) {
      if (row.outcome === 'NOT_APPLIED') continue;
      const found = { row: { ...row, isPending: false }, name: state.slice(0, -SUFFIX.length) };
      for (const identity of [clientOf(row.item), clientOf(row.item, row.normalized)])
        if (known.get(identity)?.row.outcome !== 'APPLIED') known.set(identity, found);
    }
  }
  return known;
}

/** Opens the state of a file for writing. Throws if another process has it open. */
export function openState(file: string, scope: Scope) {
  const path = file + SUFFIX;
  const descriptor = openSync(path, 'a', 0o600);
  const append = (lines: readonly Line[]) => {
    // A line that was cut off ends before the first of these.
    const bytes = Buffer.from(['', ...lines.map((line) => JSON.stringify(line)), ''].join('\n'));
    for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
    fsyncSync(descriptor);
  };
  append([{ pid: process.pid }]);
  // Each process reads after it has appended: of two that start at the same time, both see which came first.
  const pids = linesOf(path).flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  const before = pids.slice(pids.lastIndexOf(null) + 1, pids.lastIndexOf(process.pid));
  const holder = before.find((pid) => pid !== process.pid && isAlive(pid));
  if (holder) throw new Error(`${file} is being sent by the process ${holder}: wait until that has ended`);
  return {
    append: (rows: readonly SentRow[]) => append(rows.map((row) => ({ ...scope, row }))),
    close() {
      try {
        append([{ pid: null }]);
      } catch {
        // On a full disk: a process that has ended holds nothing either.
      }
      closeSync(descriptor);
    },
  };
}

function isAlive(pid: number | null): boolean {
  try {
    return process.kill(pid ?? 0, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // it is of another user
  }
}

function linesOf(path: string): Line[] {
  const texts = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  return texts.flatMap((text) => {
    try {
      return [JSON.parse(text) as Line];
    } catch {
      return [];
    }
  });
}
