/** The file of rows, whatever separates its cells, and the file of their results, which is one of rows as well. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import Papa from 'papaparse';
import { columnOf, type BulkField } from '../columns.js';
import type { SentRow } from './state.js';

/** The rows that are not empty, with their numbers in a spreadsheet, and the width of the file without the columns of an earlier result. */
export function readSheet(file: string, field: BulkField) {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  const [firstLine = ''] = text.trimStart().split('\n');
  const widthBy = (separator: string) => firstLine.split(separator).length;
  const [delimiter = ','] = ['\t', ';', ','].sort((one, other) => widthBy(other) - widthBy(one));
  const { data, errors } = Papa.parse<string[]>(text, { delimiter });
  for (const { row = 0, message } of errors) throw new Error(`Row ${row + 1} of ${file}: ${message}`);
  const all = data.map((texts, index) => ({ number: index + 1, texts }));
  const [first, ...rows] = all.filter(({ texts }) => texts.some((cell) => cell.trim() !== ''));
  const header = first?.texts ?? [];
  const columns = header.map((cell) => columnOf(field, cell));
  if (!columns.some(Boolean) || rows.length === 0)
    throw new Error(
      `Expected a header in ${file} that names the columns, and rows, got ${JSON.stringify(header)}`,
    );
  const start = header.length - RESULT.length;
  const isResult = RESULT.every((name, index) => header[start + index] === name);
  const width = isResult ? start : Math.max(...all.map(({ texts }) => texts.length));
  return { delimiter, header, columns, rows, width };
}

const RESULT = ['Outcome', 'Evidence', 'Reason', 'Identifier', 'Request ID', 'Sent number'];

/** The columns of the file unchanged, and what became of each row. By the byte order mark, spreadsheets read it as UTF-8. */
export function writeResult(
  path: string,
  { delimiter, header, rows, width }: ReturnType<typeof readSheet>,
  results: readonly SentRow[],
  reasonOf: (row: SentRow) => string,
): void {
  const padded = (texts: readonly string[]) =>
    Array.from({ length: width }, (_, index) => texts[index] ?? '');
  const lines = results.map((row, index) => {
    const { outcome, evidence = '', identifier = '', requestId = '', number = '' } = row;
    const result = [outcome, evidence, reasonOf(row), identifier, requestId, number];
    // A spreadsheet would take it for a formula.
    const safe = result.map((text) => text.replace(/^[=+\-@]/, "'$&"));
    return [...padded(rows[index]?.texts ?? []), ...safe];
  });
  const text = Papa.unparse([[...padded(header), ...RESULT], ...lines], { delimiter });
  writeFileSync(`${path}.part`, `\ufeff${text}\r\n`);
  renameSync(`${path}.part`, path);
}
