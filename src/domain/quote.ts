/** Texts of others on a terminal: one line that can neither steer it nor pass for a line of the program that prints it; and values for shells. */

/** Maximum characters of a text that is quoted. */
const MAX_QUOTED_CHARACTERS = 200;

/** In double quotes, of which it has none itself. */
export function quote(text: string): string {
  const characters = Array.from(printable(text).replaceAll('"', "'"));
  const isCut = characters.length > MAX_QUOTED_CHARACTERS;
  return `"${characters.slice(0, MAX_QUOTED_CHARACTERS).join('')}${isCut ? '…' : ''}"`;
}

/** With a space in place of escape sequences' control characters, line ends, invisible and bidirectional marks, and lone surrogates. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ');
}

/** A value for a file that a shell, Docker Compose or systemd reads. */
export function quoteForShell(value: string): string {
  return /^[\w./:@%+,{}-]*$/.test(value) ? value : shellQuote(value);
}

/** Quotes a word for a POSIX shell, where nothing is special between single quotes but the quote itself. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
