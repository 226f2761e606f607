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
  segmentsOf,
  type Member,
} from './fieldNames.js';
import {
  CODE,
  FIELD,
  FIELDS,
  INTERNAL_WORDS,
  isInternal,
  isProse,
  isReason,
  isSentence,
  isShortJson,
  MAX_REASON_LENGTH,
  MAX_REASONS,
  normalizeText,
  POSSIBLE_FIELD,
  REASON,
  REASON_MAP,
  REQUEST_ECHO,
  RESULT_LIST,
  revealsInternals,
  TECHNICAL,
  textElementsIn,
  type Reason,
} from './messages.js';
import { collectScalars } from './redact.js';
import type { Content } from '../transport/response.js';

/** Maximum levels of objects below the body, elements of a list of one field, and values of the body that are looked at. */
const MAX_LEVELS = 4;
const MAX_ELEMENTS = 200;
const MAX_VALUES = 5000;
/** Maximum characters of a body that are read as nearly JSON. */
const MAX_LENIENT_LENGTH = 16_000;
/** Characters of a text that cost as much as a value. */
const CHARACTERS_PER_VALUE = 100;

/** Which texts are reasons: none, texts of several words, or all. */
type Trust = 'none' | 'prose' | 'all';

/** What the objects around a value say about it. */
interface Context {
  readonly level: number;
  /** The fields that it is about: their names, or the segments of these. */
  readonly fields: readonly (readonly unknown[])[];
  /** Which texts are reasons here. */
  readonly texts: Trust;
  /** Which texts are reasons at names in an object that say nothing else: these are names of fields then. */
  readonly byField: Trust;
}

/** For an object whose reasons stand at names that say so. */
const envelope = { texts: 'none', byField: 'none' } as const;

/**
 * The reasons in the body of a response, in its order. `sent` are the parameters of the call: their names are names of fields, and a text
 * that repeats one of their values is not a reason. The body of a 2xx may be a record, whose texts are not reasons.
 */
export function reasonsIn(
  content: Content,
  sent: Readonly<Record<string, unknown>>,
  { isRejection }: { isRejection: boolean },
): readonly Reason[] {
  const parameters = new Set(Object.keys(sent).map(canonicalName));
  const echoes = new Set([...Object.keys(sent), ...collectScalars(sent)].map(canonicalName));
  const reasons = new Map<string, Reason>();
  let remaining = MAX_VALUES;
  /** Whether nothing was found at first. */
  let isLenient = false;

  const isDone = () => remaining <= 0 || reasons.size === MAX_REASONS;
  const isEcho = (value: unknown) => typeof value === 'string' && echoes.has(canonicalName(value));

  const add = (said: unknown, fields: Context['fields'], isMessage = false) => {
    for (const each of fields) {
      const named =
        each.length === 0 && !isMessage && isString(said) ? parameterNamedIn(said, parameters) : undefined;
      const field = joinSegments(segmentsOf(named ?? each, parameters));
      const key = JSON.stringify([field, said]);
      if (reasons.size < MAX_REASONS && !reasons.has(key)) reasons.set(key, { said, field, isMessage });
    }
  };

  const visit = (value: unknown, context: Context): void => {
    remaining -= 1;
    if (isDone() || context.level > MAX_LEVELS) return;
    if (typeof value === 'string') visitText(value, context);
    else if (Array.isArray(value)) visitList(value, context);
    else if (isRecord(value)) visitObject(membersOf(value), context);
  };

  const visitText = (text: string, context: Context) => {
    if (context.texts === 'none') return;
    const said = normalizeText(text);
    remaining -= said.length / CHARACTERS_PER_VALUE;
    const json = parseJson(said);
    if (json !== undefined) visit(json, { ...context, level: context.level + 1 });
    else if (isReason(said) && !isEcho(said) && (context.texts === 'all' || isProse(said)))
      add(said, context.fields);
  };

  /** An index is a part of the field only where an element does not say itself what it is about. */
  const visitList = (list: readonly unknown[], context: Context) => {
    for (const [index, element] of list.entries()) {
      if (isDone()) return;
      const isPart = Array.isArray(element) || (isRecord(element) && !hasText(membersOf(element)));
      const fields = context.fields.map((field) => (isPart && field.length > 0 ? [...field, index] : field));
      visit(element, { ...context, fields, level: context.level + Number(Object(element) === element) });
    }
  };

  const visitObject = (members: readonly Member[], context: Context) => {
    const own = fieldsIn(members, parameters);
    const fields = own.length > 0 ? own : context.fields;
    const isReasonItself = context.texts !== 'none' && hasText(members);
    const byField = isFieldMap(members) ? 'all' : context.byField;
    const count = reasons.size;
    for (const { key, name, value } of members) {
      if (isDone()) return;
      if (value === null || isInternal(name) || REQUEST_ECHO.test(name)) continue;
      const level = context.level + Number(isRecord(value));
      const isField = byField !== 'none' && isParameter(key, parameters);
      if (name === 'messages' && Array.isArray(value)) visitMessages(value, { ...context, level, fields });
      else if (REASON.test(name) && !isField) {
        if (name === 'title' && isReasonItself && members.some((each) => each.name === 'detail')) continue;
        const isCode = name === 'reason' && !isLenient && fields.every((field) => field.length === 0);
        const texts = isCode ? 'prose' : 'all';
        visit(textOf(value), { level, fields, texts, byField: REASON_MAP.test(name) ? 'all' : 'prose' });
      } else if (isReasonItself) continue;
      else if (
        byField !== 'none' &&
        (isField || !TECHNICAL.test(name) || (byField === 'all' && own.length === 0 && Array.isArray(value)))
      ) {
        const trust = isField ? 'all' : byField;
        visit(value, { level, fields: fields.map((each) => [...each, key]), texts: trust, byField: trust });
      } else if (RESULT_LIST.test(name)) visit(value, { ...envelope, level, fields, texts: 'prose' });
      else if (isRecord(value)) visit(value, { ...envelope, level, fields });
      else remaining -= 1;
    }
    // An element may have nothing but a code, such as `missing_field`.
    const code = members.find(({ name }) => CODE.test(name))?.value;
    if (own.length > 0 && reasons.size === count && typeof code === 'string')
      visitText(code, { ...context, fields });
  };

  /** A message that is too long to stay as it came is read like any other value. */
  const visitMessages = (messages: readonly unknown[], context: Context) => {
    for (const message of messages) {
      if (isDone()) return;
      remaining -= 1;
      if (!isShort(message)) visit(message, { ...context, texts: 'all', byField: 'prose' });
      else if (message !== null) {
        const said = withoutInternals(message);
        const own = isRecord(message) ? fieldsIn(membersOf(message), parameters).slice(0, 1) : [];
        if (said !== undefined) add(said, own.length > 0 ? own : context.fields, true);
      }
    }
  };

  /**
   * Whether an object is a map of reasons by field: some names are parameters, with other values than were sent, and at
   * the other names that say nothing else there are lists of reasons.
   */
  const isFieldMap = (members: readonly Member[]): boolean => {
    const ofParameters = members.filter(({ key }) => isParameter(key, parameters));
    const listOf = (value: unknown): unknown[] => [value].flat().slice(0, MAX_ELEMENTS);
    return (
      ofParameters.length > 0 &&
      !ofParameters.some(({ value }) => listOf(value).some(isEcho)) &&
      members.every(
        (member) =>
          ofParameters.includes(member) ||
          REASON.test(member.name) ||
          TECHNICAL.test(member.name) ||
          REQUEST_ECHO.test(member.name) ||
          (Array.isArray(member.value) &&
            listOf(member.value).every((each) => isString(each) && isProse(each))),
      )
    );
  };

  /** The last resort: the message of an exception may be a sentence for people. */
  const visitExceptionMessage = (body: unknown) => {
    const { error = body } = isRecord(body) ? body : {};
    for (const { name, value } of [...membersOf(asRecord(body)), ...membersOf(asRecord(error))])
      if (name === 'exceptionmessage' && isString(value) && isSentence(value) && !INTERNAL_WORDS.test(value))
        visitText(value, { level: 0, fields: [[]], texts: 'prose', byField: 'none' });
  };

  const root = { level: 0, fields: [[]] };
  const { text, json = parseLeniently(text.slice(0, MAX_LENIENT_LENGTH)) } = content;
  if (json === undefined) {
    visitText(text, { ...root, texts: 'all', byField: 'none' });
    for (const element of textElementsIn(text)) {
      const name = canonicalName(element.name);
      if ((REASON.test(name) || name === 'string') && !isInternal(name))
        visitText(element.text, { ...root, texts: 'all', byField: 'none' });
    }
  } else {
    const whole: Context = { ...root, texts: 'all', byField: isRejection ? 'prose' : 'none' };
    visit(json, isRecord(json) ? { ...root, ...envelope } : whole);
    if (reasons.size === 0 && isRecord(json)) {
      isLenient = true;
      // The body may be a map of fields, among them others than the parameters. Its texts are rather values of a record.
      visitObject(
        membersOf(json).filter(({ name, value }) => !isString(value) || REASON.test(name)),
        whole,
      );
    }
    if (reasons.size === 0) visitExceptionMessage(json);
  }
  return withoutRepetition([...reasons.values()]);
}

/** The fields that an object says it is about, if it does. */
function fieldsIn(members: readonly Member[], parameters: ReadonlySet<string>): (readonly unknown[])[] {
  const source = members.find(({ name }) => name === 'source')?.value;
  const all = isRecord(source) ? [...membersOf(source), ...members] : members;
  const isName = (value: unknown) => segmentsOf([value].flat(), parameters).length > 0;
  const field =
    all.find(({ name, value }) => FIELD.test(name) && isName(value)) ??
    all.find(({ name, value }) => {
      if (name === 'path' && Array.isArray(value)) return isName(value);
      return POSSIBLE_FIELD.test(name) && isString(value) && isParameter(value, parameters);
    });
  if (field) return [[field.value].flat()];
  const list = all.find(
    ({ name, value }) =>
      FIELDS.test(name) && Array.isArray(value) && value.slice(0, MAX_REASONS).every(isName),
  );
  return ((list?.value ?? []) as unknown[]).slice(0, MAX_REASONS).map((each) => [each]);
}

/** Whether an object says something in words, so that its other names are not fields. */
function hasText(members: readonly Member[]): boolean {
  return members.some(({ name, value }) => {
    if (!REASON.test(name) || isInternal(name)) return false;
    const text = textOf(value);
    return typeof text === 'string' || (Array.isArray(text) && typeof text[0] === 'string');
  });
}

/** The text of an object that has one for its language, or of an XML element in JSON. */
function textOf(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const members = membersOf(value);
  const text = members.find((each) => each.name === 'value' || each.name === '')?.value;
  return typeof text === 'string' && !hasText(members) ? text : value;
}

/** Whether a message can stay as it came. */
function isShort(message: unknown): boolean {
  return isString(message) ? message.length <= MAX_REASON_LENGTH : isShortJson(message, MAX_REASON_LENGTH);
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

/** Parses a text that holds JSON once more. */
function parseJson(text: string): unknown {
  try {
    return /^[[{"]/.test(text) ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** A message without internals; undefined if nothing else is left. */
function withoutInternals(value: unknown): unknown {
  if (typeof value === 'string') return revealsInternals(value) ? undefined : value;
  if (Array.isArray(value)) return value.map(withoutInternals).filter((element) => element !== undefined);
  if (!isRecord(value)) return value;
  const members = Object.entries(value)
    .filter(([key]) => !isInternal(canonicalName(key)))
    .map(([key, member]) => [key, withoutInternals(member)] as const);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

const reasonPhrases = new Map(
  Object.entries(STATUS_CODES).map(([status, phrase = '']) => [canonicalName(phrase), Number(status)]),
);

/**
 * Removes texts that are said of a field, too, and reason phrases of statuses: those of errors only if anything else is left, those of
 * others in any case.
 */
function withoutRepetition(reasons: readonly Reason[]): readonly Reason[] {
  const saidOfFields = new Set(reasons.filter(({ field }) => field !== undefined).map(({ said }) => said));
  const statusOf = ({ said }: Reason) =>
    isString(said) ? reasonPhrases.get(canonicalName(said)) : undefined;
  const others = reasons.filter(({ said, field }) => field !== undefined || !saidOfFields.has(said));
  const better = others.filter((reason) => reason.isMessage || statusOf(reason) === undefined);
  return better.length > 0 ? better : others.filter((reason) => Number(statusOf(reason)) >= 400);
}
