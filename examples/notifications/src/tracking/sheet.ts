/** Cells of a spreadsheet: read from what was copied or from a file, and written to a file. */

export interface SheetRow {
  /** In the sheet, from 1: a header and empty rows count. */
  number: number;
  cells: string[];
}

const BYTE_ORDER_MARK = '\ufeff';

/** The rows that are not empty, with their cells as they are: the gateway cleans them. */
export function parseSheet(pasted: string): SheetRow[] {
  const separator = separatorOf(pasted);
  const isCopied = separator === '\t';
  const isSaved = !isCopied && pasted.startsWith(BYTE_ORDER_MARK);
  const text = isSaved ? pasted.slice(1) : pasted;
  const end = '\\r?(?:\\n|$)';
  // Cells that are copied have no tabs.
  const quoted = `"((?:[^"${isCopied ? separator : ''}]|"")*)"(?=${separator}|${end})`;
  const patterns = {
    quoted: new RegExp(quoted, 'y'),
    plain: new RegExp(`[^${separator}\\n]*?(?=${separator}|${end})`, 'y'),
    end: new RegExp(`${separator}|${end}`, 'y'),
  };
  const match = (pattern: RegExp, index: number) => {
    pattern.lastIndex = index;
    return pattern.exec(text) ?? [];
  };

  const quotedInLine = new RegExp(`(?<=^|${separator})${quoted}`, 'g');
  const widthsOf = (lines: string) =>
    lines.split('\n').map((line) => line.replace(quotedInLine, '').split(separator).length);
  const width = usualWidth(widthsOf(text));
  /** Whether a quotation mark is part of the text, such as an inch: each of the lines that it would join is a whole row. */
  const isText = (start: number, index: number, cell: string) => {
    const next = text.indexOf('\n', index + cell.length);
    const lines = text.slice(start, next < 0 ? undefined : next);
    return !isSaved && cell.includes('\n') && widthsOf(lines).every((each) => each === width);
  };

  const rows: SheetRow[] = [];
  let row: SheetRow = { number: 1, cells: [] };
  let start = 0;
  for (let index = 0, ended = separator; index < text.length || ended === separator;) {
    let [cell = '', content] = match(patterns.quoted, index);
    if (content === undefined || isText(start, index, cell))
      [cell = '', content] = match(patterns.plain, index);
    row.cells.push(unmarked(content?.replaceAll('""', '"') ?? cell));
    [ended = ''] = match(patterns.end, index + cell.length);
    index += cell.length + ended.length;
    if (ended === separator) continue;
    rows.push(row);
    row = { number: row.number + 1, cells: [] };
    start = index;
  }
  return rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
}

/** Cells are separated by tabs when they are copied, and by commas or semicolons in files. */
function separatorOf(text: string): string {
  if (text.includes('\t')) return '\t';
  return text.split(';').length > text.split(',').length ? ';' : ',';
}

/** The width of most rows. A long line counts for more: the lines of a cell that has several are short. */
function usualWidth(widths: readonly number[]): number {
  const cells = new Map<number, number>();
  for (const width of widths) cells.set(width, (cells.get(width) ?? 0) + width);
  const [[usual] = [1]] = [...cells].sort(([, one], [, other]) => other - one);
  return usual;
}

/**
 * The text of a CSV file. A spreadsheet reads it as UTF-8 because of the byte order mark, and takes each cell for a text: what it would take
 * for a number, a date or a formula has an apostrophe in front, without which {@link parseSheet} reads it.
 */
export function toCsv(rows: readonly (readonly string[])[]): string {
  const toCell = (text: string) => `"${(staysText(text) ? text : `'${text}`).replaceAll('"', '""')}"`;
  return BYTE_ORDER_MARK + rows.map((cells) => cells.map(toCell).join(',')).join('\r\n');
}

function unmarked(text: string): string {
  const [mark, rest] = [text.slice(0, 1), text.slice(1)];
  return mark === "'" && !staysText(rest) ? rest : text;
}

/** Whether a spreadsheet keeps it as it is: it starts with a letter, and is no date, such as MAR-12, and no truth value. */
function staysText(text: string): boolean {
  const isValue = /^(?:true|false)$|^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\W*\d/i.test(
    text,
  );
  return text === '' || (/^\p{L}/u.test(text) && !isValue);
}
