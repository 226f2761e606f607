/**
 * Finds why a service rejects a call, in a body of any shape. The service documents no shape, and frameworks and gateways differ, so there
 * are rules for names and nesting instead of a list of shapes. Internals, echoes of the request and pages are not reasons.
 */
import { STATUS_CODES } from 'node:http';
import { isRecord, parseLeniently } from '../domain/json.js';
import {
  canonicalName,
  isParameter,
  joinSegments,
  membersOf,
  parameterNamedIn,
  partsByParameter,
  segmentsOf,
  type Member,
} from './fieldNames.js';
import {
  ERROR_ABROAD,
  isInternal,
  isProse,
  isReason,
  isSentence,
  jsonLength,
  MAX_REASON_LENGTH,
  MAX_REASONS,
  normalizeText,
  REASON,
  revealsInternals,
  textElementsIn,
  type Reason,
} from './messages.js';
import { collectScalars } from './redact.js';
import type { Content } from '../transport/response.js';

/** Names of reasons whose values are reasons by field. */
const REASON_MAP = new RegExp(
  `(?:errors|failures|issues|problems|violations)$|${ERROR_ABROAD}|^(?:constraints|invalidparams|modelstate)$`,
);
/** Results; other lists may be of records. */
const RESULT_LIST = /(?:response|result|return)s?$|^body$/;
/** Names of members that repeat the request. */
const REQUEST_ECHO =
  /^(?:raw|original)?(?:request(?:ed)?(?:body|data|headers|params|parameters|path|text|url|uri|value)?|querystring|sql(?:text)?|headers)$|^(?:actual|attempted|bad|given|input|invalid|original|raw|received|rejected|submitted)(?:text|values?)?$|^(?:args|arguments|context|ctx|objectname|value)$/;
/** Names of members next to a reason that are not fields of the request. */
const TECHNICAL =
  /^(?:action|category|code|codes|data|date|datetime|documentationurl|domain|endpoint|errorcode|expected|handled|help|helplink|host|href|id|instance|ip|keyword|kind|lang|language|level|links?|locale|location|metadata|method|moreinfo|name|operation|origin|path|query|requestid|resource|retryable|retryafter|rule|schema|schemapath|server|service|severity|source|status|statuscode|subcode|success|tag|target|time|timestamp|type|uri|url|user|version)$/;

/** Names whose value is the name of a field, or the list of its segments. */
const FIELD =
  /^(?:error|invalid)?(?:attribute|field|member|param|parameter|property)(?:name|path)?$|^(?:datapath|instancepath|jsonpath|jsonpointer|loc|pointer)$/;
/** Names of lists of fields: a reason about several of them is about none of them alone. */
const FIELDS = /^(?:attributes|fields|members|membernames|parameters|properties)$/;
/** Names whose value may be that of a parameter. */
const POSSIBLE_FIELD = /^(?:column|element|key|location|name|path|target)$/;
const CODE = /^(?:code|errorcode|keyword|rule|tag|type)$/;

/** Maximum levels of objects below the body, elements of a list of one field, and values of the body that are looked at. */
const MAX_LEVELS = 4;
const MAX_ELEMENTS = 200;
const MAX_VALUES = 5000;
/** Characters of a text that cost as much as a value. */
const CHARACTERS_PER_VALUE = 100;

/** Which texts are reasons: none, texts of several words, or all. */
type Trust = 'none' | 'prose' | 'all';

interface Context {
  readonly level: number;
  /** The segments of the field that it is about; empty for none. */
  readonly field: readonly unknown[];
  readonly texts: Trust;
  /** Which texts are reasons at names in an object that say nothing else: these are names of fields then. */
  readonly byField: Trust;
}

/** For an object whose reasons stand at names that say so. */
const envelope: Context = { level: 0, field: [], texts: 'none', byField: 'none' };

/**
 * The reasons in the body of a response, in its order. `sent` are the parameters of the call: their names are names of fields, and a text
 * that repeats one of their values is not a reason. The body of a 2xx may be a record, whose texts are not reasons.
 */
export function reasonsIn(content: Content, sent: Readonly<Record<string, unknown>>, status: number) {
  const parameters = new Set(Object.keys(sent).map(canonicalName));
  const echoes = new Set([...Object.keys(sent), ...collectScalars(sent)].map(canonicalName));
  const reasons = new Map<string, Reason>();
  let remaining = MAX_VALUES;
  /** Whether nothing was found at names that say so. */
  let isLenient = false;

  const isDone = () => remaining <= 0 || reasons.size === MAX_REASONS;
  const isEcho = (value: unknown) => typeof value === 'string' && echoes.has(canonicalName(value));

  const add = (said: unknown, field: Context['field'], isMessage = false) => {
    const mayNameField = field.length === 0 && !isMessage && typeof said === 'string';
    const named = mayNameField ? parameterNamedIn(said, parameters) : undefined;
    const parts = mayNameField && named === undefined ? partsByParameter(said, parameters) : [];
    if (parts.length > 0) {
      for (const part of parts) add(part, field);
      return;
    }
    // A 401 is about the client, whatever path it names.
    const name = status === 401 ? undefined : joinSegments(segmentsOf(named ?? field, parameters));
    const key = JSON.stringify([name, said]);
    if (!isDone() && !reasons.has(key)) reasons.set(key, { said, field: name, isMessage });
  };

  const visit = (value: unknown, context: Context): void => {
    remaining -= 1;
    if (isDone()) return;
    if (typeof value === 'string') visitText(value, context);
    else if (context.level > MAX_LEVELS) return;
    else if (Array.isArray(value)) visitList(value, context);
    else visitObject(membersOf(value), { ...context, level: context.level + 1 });
  };

  const visitText = (text: string, context: Context) => {
    if (context.texts === 'none') return;
    const said = normalizeText(text).replace(new RegExp(`^${status}[:\\s]+`), '');
    remaining -= said.length / CHARACTERS_PER_VALUE;
    const json = parseLeniently(said); // written twice
    if (json !== undefined) visit(json, context);
    else if (isReason(said, status) && !isEcho(said) && (context.texts === 'all' || isProse(said)))
      add(said, context.field);
  };

  /** An index is a part of the field only where an element does not say itself what it is about. */
  const visitList = (list: readonly unknown[], { field, level, ...context }: Context) => {
    for (const [index, element] of list.entries()) {
      if (isDone()) return;
      const isPart = field.length > 0 && Object(element) === element && !hasText(membersOf(element));
      const inside = level + Number(Array.isArray(element));
      visit(element, { ...context, field: isPart ? [...field, index] : field, level: inside });
    }
  };

  const visitObject = (members: readonly Member[], context: Context) => {
    const own = fieldIn(members, parameters);
    const about = { ...context, field: own ?? context.field };
    const isReasonItself = context.texts !== 'none' && hasText(members);
    const byField = isFieldMap(members) ? 'all' : context.byField;
    const count = reasons.size;
    for (const { key, name, value } of members) {
      if (isDone()) return;
      if (isInternal(name) || REQUEST_ECHO.test(name)) continue;
      const isField = byField !== 'none' && isParameter(key, parameters);
      if (name === 'messages' && Array.isArray(value)) visitMessages(value, about);
      else if (REASON.test(name) && !isField) {
        if (name === 'title' && isReasonItself && members.some((each) => each.name === 'detail')) continue;
        const isCode = name === 'reason' && !isLenient && about.field.length === 0;
        const texts = isCode ? 'prose' : 'all';
        visit(textOf(value), { ...about, texts, byField: REASON_MAP.test(name) ? 'all' : 'prose' });
      } else if (hasText(members) && hasReasonsByField(value)) {
        visit(value, { ...about, texts: 'none', byField: 'none' });
      } else if (isReasonItself) {
        // Its details: `{"message":"Invalid input","fields":{"emailList":"It is blocked"}}`
        if (isFieldMap(membersOf(value))) visit(value, { ...about, texts: 'none', byField: 'none' });
      } else if (
        byField !== 'none' &&
        (isField || !TECHNICAL.test(name) || (byField === 'all' && !own && Array.isArray(value)))
      ) {
        const trust = isField ? 'all' : byField;
        visit(value, { ...about, field: [...about.field, key], texts: trust, byField: trust });
      } else if (RESULT_LIST.test(name)) visit(value, { ...about, texts: 'prose', byField: 'none' });
      else if (isRecord(value) && !/^links?$/.test(name))
        visit(value, { ...about, texts: 'none', byField: 'none' });
    }
    // An element may have nothing but a code, such as `missing_field`.
    const code = members.find(({ name }) => CODE.test(name))?.value;
    if ((own || isLenient) && reasons.size === count && typeof code === 'string') visitText(code, about);
  };

  /** A message that is too long to stay as it came is read like any other value. */
  const visitMessages = (messages: readonly unknown[], context: Context) => {
    for (const message of messages) {
      if (jsonLength(message) > MAX_REASON_LENGTH)
        visit(message, { ...context, texts: 'all', byField: 'prose' });
      else if (message !== null) {
        const said = withoutInternals(message);
        const field = fieldIn(membersOf(message), parameters) ?? context.field;
        if (said !== undefined) add(said, field, true);
      }
    }
  };

  /** Whether members map fields to reasons: some are parameters, with values other than sent, and unknown names have lists of prose. */
  const isFieldMap = (members: readonly Member[]): boolean =>
    members.some(({ key }) => isParameter(key, parameters)) &&
    members.every(({ key, name, value }) => {
      const values = [value].flat().slice(0, MAX_ELEMENTS);
      if (isParameter(key, parameters)) return !values.some(isEcho);
      if (REASON.test(name) || TECHNICAL.test(name) || REQUEST_ECHO.test(name)) return true;
      return Array.isArray(value) && values.every((each) => typeof each === 'string' && isProse(each));
    });

  /** Whether a list next to a reason has its details, each with a field and a text. */
  const hasReasonsByField = (value: unknown): boolean =>
    Array.isArray(value) &&
    value.slice(0, MAX_ELEMENTS).some((each) => {
      const members = membersOf(each);
      return hasText(members) && fieldIn(members, parameters) !== undefined;
    });

  const { text, json = parseLeniently(text) } = content;
  const whole: Context = { ...envelope, texts: 'all', byField: status >= 400 ? 'prose' : 'none' };
  if (json === undefined) {
    visitText(text, whole);
    for (const element of textElementsIn(text)) {
      const name = canonicalName(element.name);
      if ((REASON.test(name) || name === 'string') && !isInternal(name)) visitText(element.text, whole);
    }
  } else if (isRecord(json)) {
    visit(json, envelope);
    // The body may be a map of fields, among them others than the parameters. Its texts are rather values of a record.
    const rest = membersOf(json).filter(
      ({ name, value }) => typeof value !== 'string' || REASON.test(name) || /code$/.test(name),
    );
    isLenient = reasons.size === 0;
    if (isLenient) visitObject(rest, { ...whole, level: 1 });
    // The last resort: the message of an exception may be a sentence for people.
    if (reasons.size === 0)
      for (const { name, value } of [...membersOf(json), ...membersOf(json['error'])])
        if (name === 'exceptionmessage' && isSentence(value)) visitText(value, whole);
  } else visit(json, whole);
  return withoutRepetition([...reasons.values()]);
}

/** The segments of the field that an object says it is about, if it does. */
function fieldIn(members: readonly Member[], parameters: ReadonlySet<string>) {
  const source = members.find(({ name }) => name === 'source')?.value;
  const all = [...membersOf(source), ...members].map(({ name, value }) => ({ name, path: [value].flat() }));
  const field =
    all.find(({ name, path }) => FIELD.test(name) && segmentsOf(path, parameters).length > 0) ??
    all.find(({ name, path }) => POSSIBLE_FIELD.test(name) && isParameter(path, parameters)) ??
    all.find(({ name, path }) => FIELDS.test(name) && path.length === 1 && isParameter(path, parameters));
  return field?.path;
}

/** Whether an object says something in words, so that its other names are not fields. */
function hasText(members: readonly Member[]): boolean {
  return members.some(
    ({ name, value }) =>
      REASON.test(name) && !isInternal(name) && typeof [textOf(value)].flat()[0] === 'string',
  );
}

/** The text of an object that has one for its language, or of an XML element in JSON. */
function textOf(value: unknown): unknown {
  const members = membersOf(value);
  const text = members.find((each) => each.name === 'value' || each.name === '')?.value;
  return typeof text === 'string' && !hasText(members) ? text : value;
}

/** A message without internals; undefined if nothing else is left. */
function withoutInternals(message: unknown): unknown {
  return JSON.parse(JSON.stringify(message), (key, value: unknown) =>
    isInternal(canonicalName(key)) || (typeof value === 'string' && revealsInternals(value))
      ? undefined
      : value,
  );
}

const reasonPhrases = new Map(
  Object.entries(STATUS_CODES).map(([status, phrase = '']) => [canonicalName(phrase), Number(status)]),
);

/** Removes texts that are said of a field, too, and reason phrases: those of error statuses only if anything else is left. */
function withoutRepetition(reasons: readonly Reason[]): readonly Reason[] {
  const saidOfFields = new Set(reasons.filter(({ field }) => field !== undefined).map(({ said }) => said));
  const statusOf = ({ said }: Reason) =>
    typeof said === 'string' ? reasonPhrases.get(canonicalName(said)) : undefined;
  const others = reasons.filter(({ said, field }) => field !== undefined || !saidOfFields.has(said));
  const better = others.filter((reason) => reason.isMessage || statusOf(reason) === undefined);
  return better.length > 0 ? better : others.filter((reason) => Number(statusOf(reason)) >= 400);
}
