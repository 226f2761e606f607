/** Which texts of a service are reasons that people can read. */

/** Maximum characters of a text that are looked at: a secret that begins in what is sent of it has ended by then, however it is escaped. */
export const MAX_TEXT_LENGTH = 16_000;
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

/** An element of XML that has nothing but text, with its local name. Each part is bounded, so that no body takes long. */
const TEXT_ELEMENT =
  /<(?:[\w.-]{1,50}:)?([\w.-]{1,50})(?:\s[^<>]{0,500})?>(?:\s{0,50}<!\[CDATA\[([^]{0,2000}?)\]\]>\s{0,50}|([^<]+))<\//g;
/** Characters of an XML body that are looked at. */
const MAX_XML_LENGTH = 64_000;
const entities: Readonly<Record<string, string>> = { amp: '&', apos: "'", gt: '>', lt: '<', quot: '"' };

/** The elements of an XML body that have nothing but text, such as those of a SOAP fault or of problem+xml; none of a page. */
export function textElementsIn(body: string): { name: string; text: string }[] {
  const xml = body.slice(0, MAX_XML_LENGTH);
  if (!/^\s*</.test(xml) || /<(?:!doctype\s+)?html\b/i.test(xml)) return [];
  return [...xml.matchAll(TEXT_ELEMENT)].map(([, name = '', literal, text = '']) => ({
    name,
    text: literal ?? text.replace(/&(?:#(\d{1,6})|(\w{2,4}));/g, replaceEntity),
  }));
}

function replaceEntity(entity: string, code: string | undefined, name: string | undefined): string {
  if (code !== undefined && Number(code) <= 0x10ffff) return String.fromCodePoint(Number(code));
  return entities[name ?? ''] ?? entity;
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
