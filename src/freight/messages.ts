/**
 * The messages of services: names that say that a reason or another message follows, which texts people can read, and the messages of a
 * success.
 */
import { shipmentParameterNames } from './contract.js';
import { isJsonValue, isRecord, jsonSize } from '../domain/json.js';
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
/** Maximum reasons, or other messages, of a response. */
export const MAX_REASONS = 20;

/** Names that say that a reason follows: `errorMessage`, `validation_errors`, `detail`. */
export const REASON =
  /(?:desc|description|detail|err|error|explanation|failure|(?<!de)fault|faultstring|hint|issue|message|msg|notice|problem|reason|summary|text|title|violation|warning)s?$|^(?:causes|constraints|invalidparams|modelstate)$/;
/** The names among these whose values are reasons by field. */
export const REASON_MAP =
  /(?:errors|failures|issues|problems|violations)$|^(?:constraints|invalidparams|modelstate)$/;
/** Lists of results; other lists may be of records. */
export const RESULT_LIST = /(?:response|result)s?$/;
/** Names of members that only developers of the service may see. */
const INTERNAL = /exception|stack|trace|debug|developer|^cause$|^inner|^internal|^suppressed$|^throwable$/;
/** Shipments have exceptions, too. */
const DOCUMENTED = new RegExp(shipmentParameterNames.map(canonicalName).join('|'), 'g');
export const isInternal = (name: string) => INTERNAL.test(name.replace(DOCUMENTED, ''));
/** Words of programs for their developers: names of types, members and tables, and what runtimes write. */
export const INTERNAL_WORDS =
  /[a-z][A-Z]|_|\b(?:null|nil|undefined|object reference|instance of|argument|parameter|constraint|deadlock|sql|table|column|timeout expired|index was|sequence contains|cannot cast)\b|\w\(|[\\/]\w/;
/** Names of members that repeat the request. */
export const REQUEST_ECHO =
  /^(?:raw|original)?(?:request(?:ed)?(?:body|data|headers|params|parameters|path|text|url|uri|value)?|querystring|sql(?:text)?|headers)$|^(?:actual|attempted|bad|given|input|invalid|original|raw|received|rejected|submitted)(?:text|values?)?$|^(?:args|arguments|context|ctx|objectname|value)$/;
/** Names of members next to a reason that are not fields of the request. */
export const TECHNICAL =
  /^(?:action|category|code|codes|data|date|datetime|documentationurl|domain|endpoint|errorcode|expected|handled|help|helplink|host|href|id|instance|ip|keyword|kind|lang|language|level|links?|locale|location|metadata|method|moreinfo|name|operation|origin|path|query|requestid|resource|retryable|retryafter|rule|schema|schemapath|server|service|severity|source|status|statuscode|subcode|success|tag|target|time|timestamp|type|uri|url|user|version)$/;

/** Names whose value is the name of a field, or a list of such names. */
export const FIELD =
  /^(?:error|invalid)?(?:attribute|field|member|param|parameter|property)(?:name|path)?$|^(?:datapath|instancepath|jsonpath|jsonpointer|loc|pointer)$/;
export const FIELDS = /^(?:attributes|fields|members|membernames|parameters|properties)$/;
/** The same, if what follows is the name of a parameter; `path` may also be followed by a list of segments. */
export const POSSIBLE_FIELD = /^(?:column|element|key|location|name|path|target)$/;
export const CODE = /^(?:code|errorcode|keyword|rule|tag|type)$/;

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

export function isProse(text: string): boolean {
  return /\S\s+\S/.test(text);
}

/** Whether a text is written for people: several words from a capital letter to the end of a sentence. */
export function isSentence(text: string): boolean {
  return /^\s*\p{Lu}[^]*\s[^]*[.!?]\s*$/u.test(text);
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

/** The messages of a success: its `messages` as they came, and texts at other names that say so. */
export function messagesIn(body: unknown): unknown[] {
  const messages = membersOf(isRecord(body) ? body : { text: body }).flatMap(({ name, value }) => {
    if (name === 'messages' && Array.isArray(value)) return value as unknown[];
    return REASON.test(name) && typeof value === 'string' && isReason(normalizeText(value)) ? value : [];
  });
  return boundedMessages([...new Set(messages)]);
}

/**
 * Messages of a success, as many and as long as those of a rejection that are looked at: texts are cut; longer values, and values that are
 * not JSON of at most 100 levels, are left out.
 */
export function boundedMessages(messages: readonly unknown[]): unknown[] {
  const bounded: unknown[] = [];
  for (const message of messages) {
    if (bounded.length === MAX_REASONS) break;
    if (typeof message === 'string') bounded.push(message.slice(0, MAX_TEXT_LENGTH));
    else if (
      message !== null &&
      isJsonValue(message) &&
      jsonSize(message, MAX_TEXT_LENGTH) <= MAX_TEXT_LENGTH
    )
      bounded.push(message);
  }
  return bounded;
}
