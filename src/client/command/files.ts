/** The files of the command: the rows, what is known of those that were sent, and the result, which is a file of rows as well. */
import { isUtf8 } from 'node:buffer';
import { appendFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Papa from 'papaparse';
import { cellsOf, columnsOf, type BulkField } from '../columns.js';
import type { ListItem } from '../list.js';
import { objectOf, storedList } from '../source.js';

/** A row of the list, and the file that it was sent from. */
export type SentRow = ListItem<object> & { readonly from?: string };

const RESULT = ['Outcome', 'Evidence', 'Reason', 'Identifier', 'Request ID', 'Sent number'];

/** The rows that are not empty, with their numbers in a spreadsheet, and without the columns of an earlier result. */
export function readSheet(file: string, field: BulkField) {
  const bytes = readFileSync(file);
  // Excel saves a plain CSV in the encoding of its country: names would be sent with wrong letters.
  if (!isUtf8(bytes))
    throw new Error(`Expected ${file} in UTF-8, got other bytes: save it as "CSV UTF-8" in the spreadsheet`);
  const { data, errors, meta } = Papa.parse<string[]>(String(bytes), { delimitersToGuess: ['\t', ';', ','] });
  for (const { row = 0, type, message } of errors)
    if (type !== 'Delimiter') throw new Error(`Row ${row + 1} of ${file}: ${message}`); // a single column has none
  const isFilled = (texts: readonly string[]) => texts.some((cell) => cell.trim() !== '');
  const first = data.find(isFilled) ?? [];
  const isResult = first.slice(-RESULT.length).join() === RESULT.join();
  const width = isResult ? first.length - RESULT.length : Math.max(...data.map(({ length }) => length));
  const fit = (texts: readonly string[]) => Array.from({ length: width }, (_, column) => texts[column] ?? '');
  const header = fit(first);
  const columns = columnsOf(field, header);
  const rows = data
    .map((texts, index) => ({ number: index + 1, texts: fit(texts), cells: cellsOf(texts, columns) }))
    .filter(({ texts }) => isFilled(texts))
    .slice(1);
  if (!columns.some(Boolean) || rows.length === 0)
    throw new Error(`Expected rows in ${file} below a header that names the columns, got ${header.join()}`);
  const repeated = columns.find((column, index) => column && columns.indexOf(column) !== index);
  const equals = header.filter((_, index) => columns[index] === repeated);
  if (repeated) throw new Error(`Expected one column for ${repeated} in ${file}, got ${equals.join(', ')}`);
  if (field === 'updateNotifications' && columns.includes('emailList') !== columns.includes('smsList'))
    throw new Error(`Expected emails and phone numbers in ${file}, or neither: an update replaces both`);
  return { delimiter: meta.delimiter, header, columns, rows };
}

/** The columns of the file unchanged, and what became of each row. By the byte order mark, spreadsheets read it as UTF-8. */
export function writeResult(
  path: string,
  { delimiter, header, rows }: Pick<ReturnType<typeof readSheet>, 'delimiter' | 'header' | 'rows'>,
  results: readonly SentRow[],
  reasonOf: (row: SentRow) => string,
): void {
  const lines = results.map((row, index) => {
    const { outcome, evidence, errors, payload = {} } = row;
    const { notificationGuid, exceptionGuid, exceptionFileGuid, shipment, driverPhoneNumber } = payload;
    const { freightProviderReferenceNumber } = objectOf(shipment);
    const id = notificationGuid ?? exceptionGuid ?? exceptionFileGuid ?? freightProviderReferenceNumber;
    const requestId = errors[0]?.requestId ?? payload['requestId'];
    const result = [outcome, evidence, reasonOf(row), id, requestId, driverPhoneNumber];
    // A spreadsheet would take it for a formula.
    const safe = result.map((text) => (typeof text === 'string' ? text.replace(/^[=+\-@]/, "'$&") : ''));
    return [...(rows[index]?.texts ?? []), ...safe];
  });
  const text = Papa.unparse([[...header, ...RESULT], ...lines], { delimiter });
  writeFileSync(`${path}.part`, `\ufeff${text}\r\n`);
  renameSync(`${path}.part`, path);
}

const SUFFIX = '.state.jsonl';

/**
 * A line of the state, which is next to the rows: a row with the field and the URL that it was sent to, or the process that sends the rows,
 * null once it has ended. One that a crash has cut off was not synced, and its row not sent: it counts for nothing.
 */
type Line = Partial<Readonly<{ target: string; row: SentRow; pid: number | null }>>;

/** Rows that were applied, or may have been, by key: from any file of the folder, and from this one if from both. */
export function sentRows(file: string, target: string): Map<string, SentRow> {
  const sent = new Map<string, SentRow>();
  const states = readdirSync(dirname(file)).filter((name) => name.endsWith(SUFFIX));
  const isOwn = (state: string) => Number(state === basename(file) + SUFFIX);
  for (const state of states.sort((one, other) => isOwn(one) - isOwn(other)))
    for (const { row, ...line } of linesOf(join(dirname(file), state)))
      if (row && line.target === target && sent.get(row.key)?.outcome !== 'APPLIED')
        sent.set(row.key, { ...row, isPending: false, from: state.slice(0, -SUFFIX.length) });
  return new Map([...sent].filter(([, { outcome }]) => outcome !== 'NOT_APPLIED'));
}

/** Opens the state of a file for writing. Throws if another process has it open. */
export function openState(file: string) {
  const path = file + SUFFIX;
  /** Returns once they are on the disk. A line that was cut off ends before the first of these. */
  const append = (lines: readonly Line[]) => {
    const text = ['', ...lines.map((line) => JSON.stringify(line)), ''].join('\n');
    appendFileSync(path, text, { mode: 0o600, flush: true });
  };
  append([{ pid: process.pid }]);
  // Each process reads after it has appended: of two that start at the same time, both see which came first.
  const pids = linesOf(path).flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  const before = pids.slice(pids.lastIndexOf(null) + 1, pids.lastIndexOf(process.pid));
  const holder = before.find((pid) => pid !== process.pid && isAlive(pid));
  if (holder) throw new Error(`${file} is being sent by the process ${holder}: wait until it ends`);
  return { append, close: () => append([{ pid: null }]) };
}

function isAlive(pid: number | null): boolean {
  try {
    return process.kill(pid ?? 0, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // it is of another user
  }
}

function linesOf(path: string): Line[] {
  const texts = readFileSync(path, 'utf8').split('\n');
  return texts.flatMap((text) => storedList(`[${text}]`) as Line[]);
}
