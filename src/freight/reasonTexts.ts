/** Which texts of a service are reasons that people can read. */

/** Maximum characters of a text that are looked at: a secret that begins in what is sent of it has ended by then, however it is escaped. */
const MAX_TEXT_LENGTH = 16_000;
/** Characters that say what a text is. */
const SAMPLE_LENGTH = 2000;

/** A text with line ends, but without other control characters, and without what surrounds it. */
export function normalizeText(text: string): string {
  return text
    .slice(0, MAX_TEXT_LENGTH)
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n]+/gu, ' ')
    .trim();
}

/** Whether a normalized text says something to people, and nothing of the inside of the service. */
export function isReason(text: string): boolean {
  return /\p{L}/u.test(text) && !NO_REASON.test(text) && !revealsInternals(text);
}

/** Values, identifiers, times, URLs and paths, and JSON that is cut off. */
const NO_REASON =
  /^(?:true|false|null|undefined|[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}|[\d:.+-]+T[\d:.+-]+Z?|[a-z][a-z\d+.-]*:\/\/\S+|(?:[a-z]:)?[\\/]\S*|\{\s*(?:"[^]*)?|\[\s*[[{"][^]*)$/i;

/** Whether a text begins like a page or another document, or has a stack trace, or the type of an exception. */
export function revealsInternals(text: string): boolean {
  const sample = text.slice(0, SAMPLE_LENGTH);
  return /^<[!?/a-z]/i.test(sample.trim()) || STACK_TRACE.test(sample) || EXCEPTION_TYPE.test(sample);
}

/** Frames of Java, .NET, JavaScript, Python, PHP, Go and Ruby, and what introduces them. */
const STACK_TRACE =
  /\n {1,20}at \S|\bat (?:[\w$<>`]+\.)+[\w$<>`]+\(|\.(?:cs|go|java|js|php|py|rb|ts):(?:line )?\d|\bFile "[^"\n]*", line \d|^#\d+ |\n#\d+ |^Traceback \(|\nTraceback \(|^panic: |goroutine \d|--- End of /;
/** `System.FormatException: …` and `NullPointerException`, but not "Exception not found", which is about an exception of a shipment. */
const EXCEPTION_TYPE =
  /(?<![\w.$])(?:[A-Za-z_$][\w$]*\.)+[\w$]*(?:Error|Exception)\b|^\w*[a-z\d_]Exception(?::|$)/;
