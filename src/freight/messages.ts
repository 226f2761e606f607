/** The messages of services: the names that announce one, which texts are for people, and what they mean. */
import { STATUS_CODES } from 'node:http';
import { shipmentParameterNames } from './contract.js';
import { isJsonValue, isRecord } from '../domain/json.js';
import { canonicalName, membersOf } from './fieldNames.js';

export interface Reason {
  /** Whether it is an element of `messages`, which stays whatever it says. */
  readonly isMessage: boolean;
  /** A text, or an element of `messages` as it came. */
  readonly said: unknown;
  /** The field that it is about, as the service spells it, without prefixes such as `model.`. */
  readonly field: string | undefined;
}

/** Maximum characters of the JSON of an element of `messages` that stays as it came. */
export const MAX_REASON_LENGTH = 1000;
export const MAX_REASONS = 20;

// cspell:disable
/** Names that say that a message follows: `responseMessage`, `detail`, `moreInformation`. */
export const MESSAGE =
  /(?:desc|description|detail|explanation|hint|issue|message|moreinformation|msg|notice|problem|reason|summary|text|title|warning|libell[eé]|meldung|mensagem|mensaje|messaggio)s?$/;
/** `error` in German, Dutch, French, Spanish, Portuguese and Italian. */
export const ERROR_ABROAD = '(?:erreurs?|erro(?:s|res?|ri)?|fehler|fout(?:en)?)$';
// cspell:enable
/** Names that say that a reason follows: also `validation_errors`. */
export const REASON = new RegExp(
  `${MESSAGE.source}|(?:err|error|failure|(?<!de)fault|faultstring|violation)s?$|${ERROR_ABROAD}|^(?:causes|constraints|invalidparams|modelstate)$`,
);
/** Names of members that only developers of the service may see. */
const INTERNAL = /exception|stack|trace|debug|developer|^cause$|^inner|^internal|^suppressed$|^throwable$/;
/** Shipments have exceptions, too. */
const DOCUMENTED = new RegExp(shipmentParameterNames.map(canonicalName).join('|'), 'g');
export const isInternal = (name: string) => INTERNAL.test(name.replace(DOCUMENTED, ''));
/** Words of programs for their developers: names of types, members and tables, and what runtimes write. */
const INTERNAL_WORDS =
  /[a-z][A-Z]|_|\b(?:null|nil|undefined|object reference|instance of|argument|parameter|constraint|deadlock|sql|table|column|timeout expired|index was|sequence contains|cannot cast)\b|\w\(|[\\/]\w/;
/** Maximum characters of a text that are looked at: a secret that begins in what is sent of it has ended by then, however it is escaped. */
export const MAX_TEXT_LENGTH = 16_000;
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

/** What runtimes write in words for people, and how they begin. */
const RUNTIME_WORDS =
  /^\p{Ll}|\b(?:call stack|database|heap|refused|socket|status code|stream|token|EOF|IOError)\b|\w\.\w|\w:\d/u;

/** Whether a normalized text says something to people, and nothing of the inside of the service: with 5xx, a runtime may have written it. */
export function isReason(text: string, status = 200): boolean {
  if (status >= 500 && (INTERNAL_WORDS.test(text) || (RUNTIME_WORDS.test(text) && !isSentence(text))))
    return false;
  return /\p{L}/u.test(text) && !NO_REASON.test(text) && !revealsInternals(text);
}

export function isProse(text: string): boolean {
  return /\S\s+\S/.test(text);
}

/** Whether a value is a text for people: several words from a capital letter to the end of a sentence, and none of developers. */
export function isSentence(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const text = value.trim();
  return /^\p{Lu}/u.test(text) && /[.!?]$/.test(text) && isProse(text) && !INTERNAL_WORDS.test(text);
}

/** An element of XML that has nothing but text, with its local name. Each part is bounded, so that no body takes long. */
const TEXT_ELEMENT =
  /<(?:[\w.-]{1,50}:)?([\w.-]{1,50})(?:\s[^<>]{0,500})?>(?:\s{0,50}<!\[CDATA\[([^]{0,2000}?)\]\]>\s{0,50}|([^<]+))<\//g;
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

/** Values, identifiers, times, URLs and paths, and JSON that is cut off, or quoted in a text. */
const NO_REASON =
  /^(?:true|false|null|undefined|[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}|[\d:.+-]+T[\d:.+-]+Z?|[a-z][a-z\d+.-]*:\/\/\S+|(?:[a-z]:)?[\\/]\S*|\{\s*|\[\s*[[{"][^]*|[^]*\{\s*["'][^]*)$/i;

/** Whether a text begins like a page or another document, or has a stack trace, the type of an exception, or an error of a database. */
export function revealsInternals(text: string): boolean {
  const sample = text.slice(0, SAMPLE_LENGTH);
  const patterns = [/^\s*<[!?/a-z]/i, STACK_TRACE, EXCEPTION_TYPE, DATABASE_ERROR];
  return patterns.some((pattern) => pattern.test(sample));
}

/** Frames of Java, .NET, JavaScript, Python, PHP, Go, Ruby and Perl, and what introduces them. */
const STACK_TRACE =
  /\n {1,20}at \S|\bat (?:[\w$<>`]+\.)+[\w$<>`]+\(|\.(?:cs|go|java|js|p[lm]|php|py|rb|ts)(?::(?:line )?|\(| (?:on )?line )\d|\bFile "[^"\n]*", line \d|^#\d+ |\n#\d+ |^Traceback \(|\nTraceback \(|^panic: |goroutine \d|--- End of /; // cspell:disable-line
const DATABASE_ERROR =
  /\bORA-\d{5}|\bSQLSTATE\b|\bE11000\b|\bprisma\.|violates (?:\w+ ){1,3}constraint|constraint failed|duplicate key (?:error|value)|duplicate entry .{1,200} for key/i; // cspell:disable-line
/** `System.FormatException: …` and `NullPointerException`, but not "Exception not found", which is about an exception of a shipment. */
const EXCEPTION_TYPE =
  /(?<![\w.$])(?:[A-Za-z_$][\w$]*\.)+[\w$]*(?:Error|Exception)\b|^\w*[a-z\d_]Exception(?::|$)/;

/** The messages of a success: its `messages` as they came, and texts at other names that say so. */
export function messagesIn(body: unknown): unknown[] {
  const messages = membersOf(isRecord(body) ? body : { text: body }).flatMap(({ name, value }) => {
    if (name === 'messages' && Array.isArray(value)) return value as unknown[];
    return REASON.test(name) && typeof value === 'string' && isReason(normalizeText(value)) ? value : [];
  });
  return boundedMessages([...new Set(messages)]);
}

/** At most MAX_REASONS, of the length examined in a rejection: longer texts are cut, longer or deeper values (100 levels) left out. */
export function boundedMessages(messages: readonly unknown[]): unknown[] {
  const bounded: unknown[] = [];
  for (const message of messages) {
    if (bounded.length === MAX_REASONS) break;
    if (typeof message === 'string') bounded.push(message.slice(0, MAX_TEXT_LENGTH));
    else if (message !== null && jsonLength(message) <= MAX_TEXT_LENGTH) bounded.push(message);
  }
  return bounded;
}

/** Characters of a value as JSON; infinite for one that is not JSON of at most 100 levels. */
export function jsonLength(value: unknown): number {
  return isJsonValue(value) ? JSON.stringify(value).length : Infinity;
}

export const SUBJECT =
  '(?:custom|delete|deletion|driver|exception|file|item|notification|operation|order|record|request|resource|row|shipment|tracking|transaction|update)s?';
export const CHANGES =
  '(?:assigned|changed|created|deleted|destroyed|erased|modified|removed|replaced|saved|tracked|updated|upserted)';

const VERB = `(?:${CHANGES}|completed|confirmed|applied|done|executed|finished|succeeded|successful|ok)`;
const IDENTIFIER = `(?:(?:with\\s+)?(?:gu)?id:?\\s+)?["'#(]?(?!0\\b)[\\w-]*\\d[\\w-]*["')]?`;
const SUBJECTS = `(?:(?:the|this|your|[1-9]\\d*)\\s+)?(?:${SUBJECT}(?:\\(s\\))?\\s+){1,3}(?:${IDENTIFIER}\\s+)?`;
/**
 * A word for success, or a sentence that says nothing else: "Deleted", "OK.", "The exception was successfully deleted", "TRACKING_STARTED".
 * A sentence with any other word, such as "not", "no" or "already", does not match.
 */
const SUCCESS = new RegExp(
  [
    `(?:${VERB}|aa|complete|no content|reset content|no (?:error|failure|fault)s?(?: (?:detected|found|occurred|reported))?|noerror|okay|passed|success|successfully|true|yes|y|tracking)`,
    `(?:${SUBJECTS})?(?:(?:was|were|has been|have been|is|are)\\s+)?(?:successfully\\s+)?${VERB}(?:\\s+successfully)?`,
    `[1-9]\\d* (?:record|row)(?:s|\\(s\\))? affected`,
    `(?:${SUBJECTS})?(?:(?:was|were|has been|have been|is)\\s+)?(?:successfully processed|processed successfully|success(?:ful)?)`,
    `(?:success(?:fully)?:?\\s+)?${VERB}\\s+(?:the\\s+)?${SUBJECT}(?:\\s+${SUBJECT})?(?:\\s+${IDENTIFIER})?`,
    `(?:shipment\\s+)?tracking\\s+(?:(?:was|has been|is)\\s+)?(?:successfully\\s+)?(?:activated|active|assigned|enabled|set(?: up)?|started)(?:\\s+successfully)?(?:\\s+(?:for|on|to) (?:the |this |your )?(?:driver|load|shipment))?`,
  ]
    .map((pattern) => `(?:${pattern})`)
    .join('|')
    .replace(/^(.*)$/s, '^(?:$1)$'),
);

/** Longer texts say more than success. */
const MAX_SUCCESS_LENGTH = 100;

export function meansSuccess(text: string): boolean {
  if (text.length > MAX_SUCCESS_LENGTH) return false;
  const separators = /\s/.test(text.trim()) ? /[\s_]+/g : /[_-]+/g; // a sentence may have an identifier with hyphens
  const words = text
    .trim()
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
    .toLowerCase()
    .replace(separators, ' ');
  return SUCCESS.test(words.replace(/\s*[.!]+$/, ''));
}

/** Whether a text says that something is not, or no longer, so. */
export function isNegative(text: string): boolean {
  const words = text.replaceAll(/[_-]/g, ' ');
  return (
    /\b(?:already|blocked|cannot|conflict|declined|denied|disabled|duplicate|error|exceeded|expired|fail(?:ed|s|ure)?|forbidden|ineligible|invalid|locked|missing|never|no|none|not|nothing|opted out|refused|rejected|timed out|timeout|un(?:able|available|known|reachable|recognized|supported)|without)\b|n['’]t\b/i.test(
      words,
    ) || NEGATIVE_ABROAD.test(words)
  );
}

// cspell:disable
/** The same in other languages of Europe and Asia, then in Chinese, Japanese and Korean. */
const NEGATIVE_ABROAD =
  /(?<!\p{L})(?:nicht|kein\p{L}*|fehl\p{L}*|ung[uü]ltig\p{L}*|abgelehnt|unbekannt\p{L}*|niet|geen|mislukt|fout|ning[uú]n\p{L}*|fall[oó]|(?:falli|recha[cz]a|inv[aá]li|desconoci)d[ao]s?|n[aã]o|nenhum\p{L}*|falh\p{L}*|erro|pas|aucune?|introuvables?|[eé]chec|[eé]chou\p{L}*|erreurs?|refus[eé]e?s?|non|nessun\p{L}*|errore|fallit[ao]|bulunama\p{L}*|hata\p{L}*|ba[sş]ar[iı]s[iı]z|nie\p{L}*|b[lł][aą]d|не\p{L}*|нет|ошибк\p{L}*|ikke|inte|ingen|ei|ne(?:n[ií]|byl|exist)\p{L}*|nem|nincs|nu (?:a|exist|s)\p{L}*|kh[oô]ng|tidak|δεν|غير|لا|لم|ليس|לא|אין|नहीं)(?!\p{L})|ไม่|[不未无無没]|失[敗败]|[错錯][误誤]|エラー|ません|できな|없|못|않|실패|오류/iu;
// cspell:enable

/** Whether a text reports that a read failed, and not that there is nothing. */
export function reportsFailedRead(text: string): boolean {
  return (
    /\b(?:denied|error|expired|fail(?:ed|ure)|forbidden|invalid|log ?in|permission|sign ?in|timed out|time-?out|unauthorized|unavailable)\b/i.test(
      text,
    ) && !meansSuccess(text)
  );
}

/** Values of an error member that mean that there is no error. */
const NO_ERROR =
  /^(?:0*|2\d\d|false|n\/?a|nil|none|no|no (?:error|failure|fault).*|null|ok|undefined)$|(?<!un|not |no )success/i;

/** Levels of an error that are searched for something that is not empty. */
const MAX_ERROR_LEVELS = 10;

export function isError(value: unknown, levels = MAX_ERROR_LEVELS): boolean {
  if (typeof value === 'string' || typeof value === 'number') return !NO_ERROR.test(String(value).trim());
  if (typeof value !== 'object' || value === null) return value === true;
  return levels === 0 || Object.values(value).some((member) => isError(member, levels - 1));
}

/** Words for a failed call without a negation, and the reason phrases of error statuses: a record has another status. */
const failureWords = new Set([
  ...['aborted', 'err', 'errors', 'exception', 'fault', 'ko', 'ng', 'nok', 'notok', 'unsuccessful'],
  ...Object.entries(STATUS_CODES).flatMap(([status, phrase = '']) =>
    Number(status) >= 400 && !['Gone', 'Locked'].includes(phrase) ? canonicalName(phrase) : [],
  ),
]);

export function meansFailure(text: string): boolean {
  return failureWords.has(canonicalName(text)) || isNegative(text);
}
