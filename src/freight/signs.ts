/**
 * The words in which services say what became of a call: names of members that say it, and values that mean success or failure. These are
 * rules, not a list of bodies: names are compared in their canonical form, and whole sentences by a grammar.
 */
import { canonicalName } from './fieldNames.js';
import {
  CHANGES,
  ERROR_ABROAD,
  isError,
  isNegative,
  meansFailure,
  meansSuccess,
  MESSAGE,
  SUBJECT,
} from './messages.js';

/** What a member, or a text, says of a call. */
export type Sign =
  /** A flag for success. It outweighs `failure`, but neither `error` nor `denial`. */
  | 'flag'
  /** Such a flag that names the change, such as `deleted`: an error next to it is about something else, such as an email. */
  | 'change'
  /** A word, a code, a count or a message for success. */
  | 'success'
  /** The same in a record, which may have its own status: it counts only where no text says something else. */
  | 'recordSuccess'
  /** A flag that is false, a word for failure, or a count of zero. */
  | 'denial'
  /** A word that is not known to mean success, or a flag for what has not happened yet. Nothing outweighs it. */
  | 'doubt'
  /** A code that does not mean success. */
  | 'failure'
  | 'error'
  /** A text that is not known to mean success. */
  | 'text'
  /** Such a text with a negation, which no word or code outweighs. */
  | 'negation'
  | 'other';

export interface Place {
  /** Levels below the body. */
  readonly level: number;
  /** Whether it is in a record, which may have its own states and codes. */
  readonly isInRecord: boolean;
  readonly isRead: boolean;
}

export interface Kind {
  readonly names: RegExp;
  /** Whether such a value is of this kind. @default any is */
  readonly fits?: (value: unknown) => boolean;
  /** What a member says. `ofText`: its text; `ofContent`: its content; `ofMembers`: its content without texts and flags, as in `tags`. */
  readonly signOf: (
    value: unknown,
    place: Place,
    name: string,
  ) => Sign | 'ofContent' | 'ofMembers' | 'ofText' | undefined;
  /** Whether it counts only after a write: a list may have it next to its elements, such as a count of zero. */
  readonly isOfWrites?: true;
}

/** The first kind that fits counts. */
const kinds: readonly Kind[] = [
  /** Results that are named after the call: OData and GraphQL have `deleteException: true`, SOAP and .NET `deleteExceptionResult: true`. */
  {
    names: new RegExp(
      String.raw`^(?:create|delete|remove|track|update)(?:${SUBJECT})+$|\w(?:response|result|return)$`,
    ),
    fits: (value) => typeof value === 'boolean',
    signOf: signOfFlag,
  },
  /** Flags for what became of the call, in any spelling: `success`, `isOk`, `wasApplied`, `completed`. */
  {
    names:
      /^(?:is|was|has|been|call|operation|request|result)*(?:ok|applied|confirmed|done|completed)$|(?<!un|in|non|not|partial)success(?:ful|fully|statuscode)?$|succeeded$|^(?:erfolg|[eé]xito|succ[eè]s|successo|sucesso)$/, // cspell:disable-line
    signOf: signOfFlag,
  },
  /** Flags, counts, identifiers or lists of what was changed: `deleted`, `exceptionDeleted`, `notification_created`, `deletedId`. */
  {
    names: new RegExp(
      `^(?:is|was|has|been)*(?:${SUBJECT})*${CHANGES}(?:(?:gu)?ids?|identifiers?)?$|^(?:deleted|removed)(?:at|date|on|time)$|^tracking(?:has)?started$`,
    ),
    isOfWrites: true,
    signOf(value, { level }, name) {
      if (isYes(value)) return level <= 1 ? 'change' : 'other';
      // One of several flags, such as `created` and `updated`, suffices.
      if (isNo(value) || (Array.isArray(value) && value.length === 0))
        return /(?:deleted|erased|removed|tracked)$/.test(name) ? 'denial' : 'failure';
      if (Number(value) > 0 || Array.isArray(value) || isIdentifier(value)) return 'success';
      return isObject(value) ? 'ofContent' : 'other';
    },
  },
  /**
   * Items that were not changed, or the reason, as a flag, a count or a list; `notified`, `notBefore` and `invalidated` are something else,
   * and a name such as `unknownFields` is about the request.
   */
  {
    names: new RegExp(
      [
        `(?:is|was|has)?(?:failed|failures?|ignored|missed|nomatch|rejected|skipped|unchanged|unmatched|unsuccessful)(?:count|ids?|items|records)?`,
        String.raw`(?:is|was|has)?(?:failed|failure|(?!invalidated)invalid|missing|reject(?:ed|ion))\w*`,
        String.raw`(?:is|was|has)?not(?!if|ed$|able$)\w*(?:able|ed|eligible|found|valid)(?:count|ids?|items|records)?`,
        `(?:reject(?:reasons?)|problems?|unknown${SUBJECT}|validation(?:failures|issues|messages|problems))`,
      ]
        .map((pattern) => `^(?:${pattern})$`)
        .join('|'),
    ),
    isOfWrites: true,
    signOf: (value) => (isEmpty(value) || isNo(value) ? undefined : 'denial'),
  },
  /** Counts of what was changed. */
  {
    names: new RegExp(
      `^(?:n|num|number|total)?(?:of)?(?:${SUBJECT}|documents?)*(?:affected|matched|succeeded|success(?:ful)?|${CHANGES})(?:${SUBJECT}|count|documents?)*$|^(?:${SUBJECT}|change)?count$|^(?:n|changes|nmodified|nremoved|records|rows)$`,
    ),
    fits: (value) => isFilled(value) && !isObject(value),
    isOfWrites: true,
    signOf(value, _place, name) {
      const count = typeof value === 'boolean' ? NaN : Number(value);
      if (count === 0) return name.startsWith('upserted') ? 'other' : 'denial'; // of MongoDB, next to modifiedCount
      return count > 0 ? 'success' : 'other';
    },
  },
  /** Conditions of success, which prove nothing if they hold. */
  {
    names:
      /^(?:is|was)?(?:accepted|acknowledged|allowed|authorized|deliverable|eligible|exists|found|permitted|possible|processed|reachable|received|supported|trackable|valid)$/,
    fits: isFilled,
    isOfWrites: true,
    signOf: (value, { isInRecord }) => (isNo(value) && !isInRecord ? 'denial' : 'other'),
  },
  /** Flags that, if they hold, say that a change is still to come, was made before or in part, or was only simulated. */
  {
    names:
      /^(?:is|was)?(?:already\w+|async|deferred|dryrun|duplicate|noop|partial(?:ly|success)?|pending|preview|queued|scheduled|simulat(?:ed|ion)|testmode)$/,
    fits: isFilled,
    signOf: (value) => (isYes(value) ? 'doubt' : 'other'),
  },
  {
    names:
      /^(?:code|err(?:or)?(?:code|no|number)|errno|http(?:status)?(?:code)?|re(?:sponse|sp|sult|turn|t|ply)code|ret(?:val)?|status(?:code|id|number)|(?:ev|sy)?(?:sub)?rc)$/,
    signOf: signOfCode,
  },
  /** Words for what became of the call. */
  {
    names:
      /^(?:ack(?:nowledge?ment)?|disposition|outcome|(?:call|delete|deletion|operation|request|response|result|return|transaction|update)?(?:result|state|status|statustext))$/,
    fits: (value) => !isObject(value),
    signOf(value, place) {
      if (isEmpty(value)) return undefined;
      const word = String(value);
      if (/^\s*(?:true|false)\s*$/i.test(word)) return signOfFlag(value);
      if (/^\s*[01]\s*$/.test(word)) return 'other'; // 0 is a code for success, or a flag for failure
      if (typeof value === 'number' || /^\s*\d+(?:\s|$)/.test(word)) return signOfCode(value, place);
      if (meansSuccess(word)) return place.isInRecord ? 'recordSuccess' : 'success';
      if (meansFailure(word)) return 'denial';
      return place.isInRecord || place.isRead ? 'other' : 'doubt';
    },
  },
  /** State of the tracking that a call requested: it proves nothing, but may report a failure. A shipment has its own states. */
  {
    names: /^(?:driver|tracking)(?:outcome|result|state|status)$/,
    fits: (value) => typeof value === 'string',
    isOfWrites: true,
    signOf: (value, { level }) => (level === 0 && meansFailure(String(value)) ? 'denial' : 'other'),
  },
  /** SAP has `S` for success; a message of severity `E`, `A` or the like never means success. The type of what was deleted is `exception`. */
  {
    names: /^(?:kind|level|messagetype|msgtype|severity|type)$/,
    fits: isFilled,
    signOf(value) {
      const word = canonicalName(String(value));
      if (/^(?:a|abort|critical|e|err|error|f|fail|failed|failure|fatal|fault|x)$/.test(word))
        return 'denial';
      return /^(?:s|success)$/.test(word) ? 'success' : 'other';
    },
  },
  {
    // Exceptions, and their types, are also what shipments have: only texts that say so are errors.
    names: new RegExp(
      String.raw`^(?:has|is|was)?(?:err|error|errored|exceptionoccurred|fail|faults?)$|^err(?:or)?(?:count|desc|description|details?|info|list|messages?|msg|occurred|text)$|errors$|^(?:exceptionmessage|(?:biz|business|fail(?:ure)?|fault|reject(?:ion)?|sub)code|faultstring|modelstate|stacktrace|violations)$|^${ERROR_ABROAD}`,
    ),
    signOf(value, { level }) {
      if (!isError(value)) return undefined;
      return level > 0 ? 'denial' : 'error'; // only one result was asked for, so one that has failed is it
    },
  },
  {
    names: MESSAGE,
    signOf: (value) => (typeof value === 'boolean' ? 'other' : 'ofContent'),
  },
  /** Names under which services put the result of a call. */
  {
    names: /^(?:body|bool(?:ean)?|d|data|payload|response|result|return|string|value)$/,
    signOf: () => 'ofContent',
  },
  /** Empty parts of an envelope. */
  {
    names: /^(?:envelope|header|meta|metadata|totalpossiblecount)$/,
    fits: isEmpty,
    signOf: () => undefined,
  },
  { names: /^totalpossiblecount$/, fits: isNo, signOf: () => undefined },
];
/** A value that may be about anything. */
export const otherValue: Kind = { names: /^/, signOf: () => 'other' };
const otherObject: Kind = { names: /^/, signOf: () => 'ofMembers' };

/** Longer names say something else. */
const MAX_NAME_LENGTH = 60;

export function kindOf(name: string, value: unknown): Kind {
  const candidates = name.length > MAX_NAME_LENGTH ? [] : kinds;
  const kind = candidates.find(({ names, fits }) => fits?.(value) !== false && names.test(name));
  return kind ?? (isObject(value) ? otherObject : otherValue);
}

function signOfFlag(value: unknown): Sign | 'ofText' {
  if (isYes(value)) return 'flag';
  if (isNo(value)) return 'denial';
  return typeof value === 'string' ? 'ofText' : 'other';
}

function signOfCode(value: unknown, { isInRecord, isRead }: Place): Sign | 'ofText' | undefined {
  if (isEmpty(value)) return undefined;
  if (typeof value === 'boolean') return signOfFlag(value);
  if (isSuccessCode(value)) return isInRecord ? 'recordSuccess' : 'success';
  return (isInRecord || isRead) && !/^\s*[45]\d\d\b/.test(String(value)) ? 'other' : 'failure';
}

/** Longer texts never mean success, and count as negated without a search. */
const MAX_TEXT_LENGTH = 16_000;

/** What a text says. No word or code of an envelope outweighs one that something is not so, or still to happen. */
export function signOfText(text: string): Sign {
  if (text.length > MAX_TEXT_LENGTH) return 'negation';
  const said = text.trim().toLowerCase();
  if (said === 'true') return 'flag';
  if (said === 'false') return 'denial';
  if (meansSuccess(text)) return 'success';
  const isDeferred = /\b(?:must|pending|queued|required|scheduled)\b/i.test(text); // a record may have such a state
  return isDeferred || isNegative(text) ? 'negation' : 'text';
}

export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'string') return value.trim() === '';
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function isFilled(value: unknown): boolean {
  return !isEmpty(value);
}

const YES = /^\s*(?:true|y(?:es)?|1)\s*$/i;
const NO = /^\s*(?:false|no?|0)\s*$/i;

export function isYes(value: unknown): boolean {
  return Object(value) !== value && YES.test(String(value));
}

export function isNo(value: unknown): boolean {
  return Object(value) !== value && NO.test(String(value));
}

/** Whether a value is an object or a list, and not empty. */
function isObject(value: unknown): boolean {
  return Object(value) === value && !isEmpty(value);
}

/** Whether a value is the identifier of what was deleted, or the time of it. */
function isIdentifier(value: unknown): boolean {
  return typeof value === 'string' && /^(?=.*[1-9])[\w:/.+-]{3,}$/.test(value);
}

/** Zero, a success of HTTP, or a word for it; but 202 is not completed, 206 not the whole, and one of several results may have failed (207). */
function isSuccessCode(value: unknown): boolean {
  const text = String(value).trim();
  if (/^20[267]\b/.test(text)) return false;
  return /^(?:0+|2\d\d)$/.test(text) || meansSuccess(text.replace(/^2\d\d\s+/, ''));
}
