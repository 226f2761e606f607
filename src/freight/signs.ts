/**
 * The words in which services say what became of a call: names of members that say it, and values that mean success or failure. These are
 * rules, not a list of bodies: names are compared in their canonical form, and whole sentences by a grammar.
 */
import { STATUS_CODES } from 'node:http';
import { canonicalName } from './fieldNames.js';

const SUBJECT =
  '(?:custom|delete|deletion|driver|exception|file|item|notification|operation|order|record|request|resource|row|shipment|tracking|transaction|update)s?';
const CHANGES =
  '(?:assigned|changed|created|deleted|destroyed|erased|modified|removed|replaced|saved|tracked|updated|upserted)';

/** Flags for what became of the call, in any spelling: `success`, `isOk`, `wasApplied`, `completed`. */
const FLAG =
  /^(?:is|was|has|been|call|operation|request|result)*(?:ok|applied|confirmed|done|completed)$|(?<!un|in|non|not|partial)success(?:ful|fully|statuscode)?$|succeeded$/;
/** Results that are named after the call: OData and GraphQL have `deleteException: true`, SOAP and .NET `deleteExceptionResult: true`. */
const CALLED = new RegExp(
  String.raw`^(?:create|delete|remove|track|update)(?:${SUBJECT})+$|\w(?:response|result|return)$`,
);
/** Flags, counts, identifiers or lists of what was changed: `deleted`, `exceptionDeleted`, `notification_created`, `deletedId`. */
const CHANGE = new RegExp(
  `^(?:is|was|has|been)*(?:${SUBJECT})*${CHANGES}(?:(?:gu)?ids?|identifiers?)?$|^tracking(?:has)?started$`,
);
const COUNT = new RegExp(
  `^(?:n|num|number|total)?(?:of)?(?:${SUBJECT}|documents?)*(?:affected|matched|${CHANGES})(?:${SUBJECT}|count|documents?)*$|^(?:${SUBJECT}|change)?count$|^(?:n|changes|nmodified|nremoved|records|rows)$`,
);
/**
 * Items that were not changed, or the reason, as a flag, a count or a list; `notified`, `notBefore` and `invalidated` are something else,
 * and a name such as `unknownFields` is about the request.
 */
const MISS = new RegExp(
  [
    `(?:is|was|has)?(?:failed|failures?|ignored|missed|nomatch|rejected|skipped|unchanged|unmatched|unsuccessful)(?:count|ids?|items|records)?`,
    String.raw`(?:is|was|has)?(?:failed|failure|(?!invalidated)invalid|missing|reject(?:ed|ion))\w*`,
    String.raw`(?:is|was|has)?not(?!if|ed$|able$)\w*(?:able|ed|eligible|found|valid)(?:count|ids?|items|records)?`,
    `(?:reject(?:reasons?)|problems?|unknown${SUBJECT}|validation(?:failures|issues|messages|problems))`,
  ]
    .map((pattern) => `^(?:${pattern})$`)
    .join('|'),
);
/** Flags that, if they hold, say that a change is still to come, was made before or in part, or was only simulated. */
const DEFERRED =
  /^(?:is|was)?(?:already\w+|async|deferred|dryrun|duplicate|noop|partial(?:ly|success)?|pending|preview|queued|scheduled|simulat(?:ed|ion)|testmode)$/;
/** Conditions of success, which prove nothing if they hold. */
const CONDITION =
  /^(?:is|was)?(?:accepted|acknowledged|allowed|authorized|deliverable|eligible|exists|found|permitted|possible|processed|reachable|received|supported|trackable|valid)$/;
const CODE =
  /^(?:code|err(?:or)?(?:code|no|number)|errno|http(?:status)?(?:code)?|rc|re(?:sponse|sult|turn|ply)code|ret(?:code|val)?|status(?:code|id|number))$/;
const WORD =
  /^(?:ack(?:nowledge?ment)?|disposition|outcome|(?:call|delete|deletion|operation|request|response|result|return|transaction|update)?(?:result|state|status|statustext))$/;
/** State of the tracking that a call requested: it proves nothing, but may report a failure. A shipment has its own states. */
const STATE = /^(?:driver|tracking)(?:outcome|result|state|status)$/;
const SEVERITY = /^(?:kind|level|messagetype|msgtype|severity|type)$/;
/** Flags, texts and lists of errors. Exceptions, and their types, are also what shipments have: only texts that say so are errors. */
const ERROR =
  /^(?:has|is|was)?(?:err|error|errored|exceptionoccurred|fail|faults?)$|^err(?:or)?(?:count|desc|description|details?|info|list|messages?|msg|occurred|text)$|errors$|^(?:exceptionmessage|(?:biz|business|fail(?:ure)?|fault|reject(?:ion)?|sub)code|faultstring|modelstate|stacktrace|violations)$/;
const MESSAGE =
  /(?:desc|description|detail|explanation|hint|issue|message|msg|notice|problem|reason|summary|text|title|warning)s?$/;
/** Names under which services put the result of a call. */
export const RESULT = /^(?:body|bool(?:ean)?|d|data|payload|response|result|return|string|value)$/;
/** Members that say nothing if they are empty; an empty list of anything else may be what was not found. */
const SILENT_IF_EMPTY = new RegExp(
  [CODE, WORD, ERROR, MESSAGE, RESULT, MISS, /^(?:envelope|header|meta|metadata|totalpossiblecount)$/]
    .map(({ source }) => `(?:${source})`)
    .join('|'),
);

export type Kind =
  | 'change'
  | 'code'
  | 'condition'
  | 'count'
  | 'deferred'
  | 'error'
  | 'flag'
  | 'message'
  | 'miss'
  | 'nothing'
  | 'other'
  | 'result'
  | 'severity'
  | 'state'
  | 'word';

/** Kinds that count only after a write: a list may have them next to its elements, such as a count of zero. */
export const ofWritesAlone: ReadonlySet<Kind> = new Set(['change', 'condition', 'count', 'miss', 'state']);

/** Longer names say something else. */
const MAX_NAME_LENGTH = 60;

export function kindOf(name: string, value: unknown): Kind {
  if (name.length > MAX_NAME_LENGTH) return Object(value) === value ? 'result' : 'other';
  if (name === 'totalpossiblecount' && Number(value) === 0) return 'nothing';
  if (FLAG.test(name) || (typeof value === 'boolean' && CALLED.test(name))) return 'flag';
  if (CHANGE.test(name)) return 'change';
  if (isEmpty(value)) return SILENT_IF_EMPTY.test(name) ? 'nothing' : 'other';
  if (MISS.test(name)) return 'miss';
  if (COUNT.test(name) && Object(value) !== value) return 'count';
  if (CONDITION.test(name)) return 'condition';
  if (DEFERRED.test(name)) return 'deferred';
  if (CODE.test(name)) return 'code';
  if (WORD.test(name) && Object(value) !== value) return 'word';
  if (STATE.test(name) && typeof value === 'string') return 'state';
  if (SEVERITY.test(name)) return 'severity';
  if (ERROR.test(name)) return 'error';
  if (MESSAGE.test(name)) return 'message';
  return RESULT.test(name) || Object(value) === value ? 'result' : 'other';
}

export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'string') return value.trim() === '';
  return typeof value === 'object' && Object.keys(value).length === 0;
}

export function isYes(value: unknown): boolean {
  return (
    value === true || value === 1 || (typeof value === 'string' && /^\s*(?:true|y(?:es)?|1)\s*$/i.test(value))
  );
}

export function isNo(value: unknown): boolean {
  return (
    value === false || value === 0 || (typeof value === 'string' && /^\s*(?:false|no?|0)\s*$/i.test(value))
  );
}

/** Whether a flag holds, a count is not zero, or a list is not empty. */
export function isSomething(value: unknown): boolean {
  return !isEmpty(value) && !isNo(value);
}

/** The identifier of what was deleted, or the time of it. */
export function isIdentifier(value: unknown): boolean {
  return typeof value === 'string' && /^(?=.*[1-9])[\w:/.+-]{3,}$/.test(value);
}

export function isCode(value: unknown): boolean {
  return typeof value === 'number' || /^\s*\d+(?:\s|$)/.test(String(value));
}

/**
 * Zero in any length, a success of HTTP, or a word for it. What was accepted is not completed (202), a part is not the whole (206), and one
 * of several results may have failed (207).
 */
export function isSuccessCode(value: unknown): boolean {
  const text = String(value).trim();
  const [, status, phrase = ''] = /^(2\d\d)(?:\s+(.*))?$/s.exec(text) ?? [];
  if (status !== undefined)
    return (
      !['202', '206', '207'].includes(status) &&
      (phrase === '' ||
        meansSuccess(phrase) ||
        canonicalName(phrase) === canonicalName(STATUS_CODES[status] ?? ''))
    );
  return /^0+$/.test(text) || meansSuccess(text);
}

const VERB = `(?:${CHANGES}|completed|confirmed|applied|done|executed|finished|succeeded|successful|ok)`;
const IDENTIFIER = `(?:(?:with\\s+)?(?:gu)?id:?\\s+)?["'#(]?(?!0\\b)[\\w-]*\\d[\\w-]*["')]?`;
const SUBJECTS = `(?:(?:the|this|your|[1-9]\\d*)\\s+)?(?:${SUBJECT}(?:\\(s\\))?\\s+){1,3}(?:${IDENTIFIER}\\s+)?`;
/**
 * A word for success, or a sentence that says nothing else: "Deleted", "OK.", "The exception was successfully deleted", "TRACKING_STARTED".
 * A sentence with any other word, such as "not", "no" or "already", does not match.
 */
const SUCCESS = new RegExp(
  [
    `(?:${VERB}|aa|complete|no content|no (?:error|failure|fault)s?(?: (?:detected|found|occurred|reported))?|noerror|okay|passed|success|successfully|true|yes|y|tracking)`,
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

/** Whether a text says that something is still to happen. A record may have such a state. */
export function isDeferral(text: string): boolean {
  return /\b(?:must|pending|queued|required|scheduled)\b/i.test(text);
}

/** Whether a text says that something is not, or no longer, so: no word or code of an envelope outweighs that. */
export function isNegative(text: string): boolean {
  const words = text.replaceAll(/[_-]/g, ' ');
  return (
    /\b(?:already|blocked|cannot|conflict|declined|denied|disabled|duplicate|error|exceeded|expired|fail(?:ed|s|ure)?|forbidden|ineligible|invalid|locked|missing|never|no|none|not|nothing|opted out|refused|rejected|timed out|timeout|un(?:able|available|known|reachable|recognized|supported)|without)\b|n['’]t\b/i.test(
      words,
    ) || NEGATIVE_ABROAD.test(words)
  );
}

// cspell:disable
/** The same in German, Dutch, Spanish, Portuguese, French, Italian, Turkish, Polish and Russian, then in Chinese, Japanese and Korean. */
const NEGATIVE_ABROAD =
  /(?<!\p{L})(?:nicht|kein\p{L}*|fehl\p{L}*|ung[uü]ltig\p{L}*|abgelehnt|unbekannt\p{L}*|niet|geen|mislukt|fout|ning[uú]n\p{L}*|fall[oó]|(?:falli|recha[cz]a|inv[aá]li|desconoci)d[ao]s?|n[aã]o|nenhum\p{L}*|falh\p{L}*|erro|pas|aucune?|introuvables?|[eé]chec|[eé]chou\p{L}*|erreurs?|refus[eé]e?s?|non|nessun\p{L}*|errore|fallit[ao]|bulunama\p{L}*|hata\p{L}*|ba[sş]ar[iı]s[iı]z|nie|b[lł][aą]d|не|нет|ошибк\p{L}*)(?!\p{L})|[不未无無没]|失[敗败]|[错錯][误誤]|エラー|ません|できな|없|못|않|실패|오류/iu;
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
