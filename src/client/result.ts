/** The outcome of a write, wherever the gateway said it, and what to do next. */
import { isGatewayError, type ErrorCode, type InputRule } from '../errors.js';
import { objectOf, read, type GraphQLErrorLike, type Reading } from './source.js';

/** How a write ended. `UNKNOWN`: it may have been applied. */
export type WriteOutcome = 'APPLIED' | 'NOT_APPLIED' | 'UNKNOWN';

/** How the outcome is known: by the service's response, a read after the write, an earlier attempt, or because nothing was sent. */
export type OutcomeEvidence = 'RESPONSE' | 'READ_BACK' | 'REPLAY' | 'NOT_SENT';

/**
 * What a user interface branches by.
 *
 * | Step | When | The app |
 * |---|---|---|
 * | `NONE` | applied | goes on |
 * | `SEND` | not sent: new, a valid dry run, or only other items were invalid | sends it |
 * | `REPEAT` | every error is `retryable`, or nothing is known of the write and it has a key | repeats it with the same key, after `retryAfterSeconds` |
 * | `SIGN_IN` | the token is missing or was rejected | renews it, and repeats |
 * | `CORRECT` | invalid input, nothing found, rejected by the service | shows the errors; the corrected input gets a new key |
 * | `RELOAD` | somebody else has changed it | shows both versions |
 * | `DECIDE` | unknown, and a repeat will not find out | only a person may send it again, with a new key |
 * | `REPORT` | anything else | shows the `requestId` |
 */
export type NextStep = 'NONE' | 'SEND' | 'REPEAT' | 'SIGN_IN' | 'CORRECT' | 'RELOAD' | 'DECIDE' | 'REPORT';

/** An error of the gateway, the same whether it arrived as data or as a GraphQL error. Has what the operation selects. */
export interface GatewayError {
  /** One of {@link ErrorCode}, or one that a newer gateway has added. */
  readonly code: ErrorCode | (string & {});
  /** For people; may change. */
  readonly message: string;
  /** Whether repeating the field is safe and may succeed. */
  readonly retryable: boolean;
  /** Names the request in the log of the gateway. */
  readonly requestId?: string;
  /** Path of the invalid input within the arguments of the field, or within the item of a bulk field. Indexes are texts. */
  readonly inputPath?: readonly string[];
  /** One of {@link InputRule}, or one that a newer gateway has added. */
  readonly rule?: InputRule | (string & {});
  /** The number in the rule, such as the maximum length. */
  readonly limit?: number;
  /** HTTP status of the service's response. */
  readonly status?: number;
  /** Seconds after which a repeat makes sense. */
  readonly retryAfterSeconds?: number;
  /** The service's own messages. */
  readonly serviceMessages?: readonly unknown[];
  /** After `createNotification` with the outcome `UNKNOWN`: notifications that it may have created. */
  readonly candidates?: readonly string[];
}

export interface WriteResult {
  readonly outcome: WriteOutcome;
  /** Undefined if it is not known, or not selected. */
  readonly evidence: OutcomeEvidence | undefined;
  readonly errors: readonly GatewayError[];
  readonly nextStep: NextStep;
}

/** What of the source is meant. A number is the `index`. */
export type Selector =
  | number
  | {
      /** Of an item of a bulk field, from 0. */
      index?: number;
      /**
       * Whether the write has an idempotency key that a repeat will send again, as those of `createIntent` and `createBatch` do.
       * Without one, a write of which nothing is known ends in `DECIDE`. @default true: every mutation of a browser needs one
       */
      hasKey?: boolean;
    };

/**
 * The result of a mutation field, or of one item of a bulk field. Select `outcome`, `evidence` and `errors` with at least `code`,
 * `retryable`, `requestId` and `inputPath`; a payload without its `outcome` counts as `UNKNOWN`, so that a cache that drops it does not
 * make a success of it.
 * @param source what the application has in hand: a GraphQL response, the result or the error of Apollo Client, urql or Relay, or
 *   whatever `fetch` threw. A result says more than an error: the error of urql has no `data`. Nothing makes it throw.
 * @param field response key of the field: its alias, or its name
 */
export function resultOf(source: unknown, field: string, selector: Selector = {}): WriteResult {
  const { index, hasKey = true } = typeof selector === 'number' ? { index: selector } : selector;
  const reading = read(source);
  const payload = payloadOf(reading, field, index);
  const { outcome, evidence, errors } = payload
    ? fromPayload(payload, index)
    : fromErrors(reading, field, index);
  const isLost = outcome === 'UNKNOWN' && errors.length === 0 && !payload;
  const nextStep = isLost ? (hasKey ? 'REPEAT' : 'DECIDE') : nextStepAfter(outcome, errors);
  return { outcome, evidence, errors, nextStep };
}

/** The outcome alone of {@link resultOf}. */
export function outcomeOf(source: unknown, field: string, index?: number): WriteOutcome {
  return resultOf(source, field, index).outcome;
}

/**
 * The errors of a root field, of queries, too, or of one item of a bulk field. Those of the whole request belong to each field. Those of
 * others than the gateway, such as a router, are left out.
 * @param field response key of the field; without it, the errors of all fields
 */
export function errorsOf(source: unknown, field?: string, index?: number): readonly GatewayError[] {
  const reading = read(source);
  if (field === undefined)
    return [
      ...reportedErrors(reading.errors ?? []),
      ...Object.values(reading.data).flatMap((payload) => payloadErrors(payload)),
    ];
  const payload = payloadOf(reading, field, index);
  return (payload ? fromPayload(payload, index) : fromErrors(reading, field, index)).errors;
}

type Findings = Omit<WriteResult, 'nextStep'>;

function nextStepAfter(outcome: WriteOutcome, errors: readonly GatewayError[]): NextStep {
  const has = (...codes: ErrorCode[]) => errors.some(({ code }) => (codes as string[]).includes(code));
  if (outcome === 'APPLIED') return 'NONE';
  if (has('CONFLICT')) return 'RELOAD';
  if (has('UNAUTHENTICATED')) return 'SIGN_IN';
  if (errors.length > 0 && errors.every(({ retryable }) => retryable)) return 'REPEAT';
  if (outcome === 'UNKNOWN') return 'DECIDE';
  if (has('BAD_USER_INPUT', 'NOT_FOUND', 'SERVICE_REJECTED')) return 'CORRECT';
  if (errors.length === 0 || has('DRY_RUN', 'OTHER_ITEM_INVALID')) return 'SEND';
  return 'REPORT';
}

function payloadOf({ data }: Reading, field: string, index: number | undefined): object | undefined {
  const payload = data[field];
  const element = index === undefined ? payload : objectOf(objectOf(payload)['results'])[index];
  return typeof element === 'object' && element !== null ? element : undefined;
}

function fromPayload(payload: object, index: number | undefined): Findings {
  const { outcome, evidence } = payload as { outcome?: WriteOutcome; evidence?: OutcomeEvidence | null };
  return {
    outcome: outcome ?? 'UNKNOWN',
    evidence: evidence ?? undefined,
    errors: payloadErrors(payload, index),
  };
}

/** Failures that are data. */
export function payloadErrors(payload: unknown, index?: number): GatewayError[] {
  const { errors } = objectOf(payload);
  return Array.isArray(errors) ? errors.map((error) => toGatewayError(objectOf(error), index)) : [];
}

function fromErrors({ errors = [] }: Reading, field: string, index: number | undefined): Findings {
  const own = errors.filter((error) => isAbout(error, field, index));
  // The input of another field or item keeps this one from being executed.
  const decisive = own.length > 0 ? own : errors.filter((error) => rejects(error, field));
  const isNotApplied = decisive.length > 0 && decisive.every((error) => provesNotApplied(error, index));
  const isNotSent = isNotApplied && decisive.some((error) => rejects(error, field));
  return {
    outcome: isNotApplied ? 'NOT_APPLIED' : 'UNKNOWN',
    evidence: isNotSent ? 'NOT_SENT' : undefined,
    errors: reportedErrors(own, index),
  };
}

/** Whether an error is about the field, or the item: one without a place is about all of them. */
function isAbout({ path, extensions }: GraphQLErrorLike, field: string, index: number | undefined): boolean {
  if ((path?.[0] ?? extensions?.['field'] ?? field) !== field) return false;
  const item = path?.[2] ?? itemIn(extensions);
  return index === undefined || item === undefined || Number(item) === index;
}

/** Index of the item that has the invalid input. */
function itemIn(extensions: GraphQLErrorLike['extensions']): unknown {
  const [argument, item] = inputPathOf(extensions) ?? [];
  return argument === 'items' ? item : undefined;
}

/** Whether an error keeps the field from being executed: it has no path (GraphQL specification, section 7.1.2), or is about arguments. */
function rejects({ path, extensions }: GraphQLErrorLike, field: string): boolean {
  return (
    path === undefined || (path.length === 1 && path[0] === field && inputPathOf(extensions) !== undefined)
  );
}

function provesNotApplied(error: GraphQLErrorLike, index: number | undefined): boolean {
  if (!isGatewayError(error)) return false;
  const { code, outcome = error.path || code === 'INTERNAL_SERVER_ERROR' ? 'UNKNOWN' : 'NOT_APPLIED' } =
    error.extensions;
  // A bulk field that fails as a whole hides what became of its items, except if its input is invalid.
  const hidesItems = index !== undefined && error.path?.length === 1 && !inputPathOf(error.extensions);
  return outcome === 'NOT_APPLIED' && !hidesItems;
}

function inputPathOf(extensions: GraphQLErrorLike['extensions']): readonly unknown[] | undefined {
  const { inputPath } = objectOf(extensions);
  return Array.isArray(inputPath) ? inputPath : undefined;
}

function reportedErrors(errors: readonly GraphQLErrorLike[], index?: number): GatewayError[] {
  return errors
    .filter(isGatewayError)
    .map(({ message, extensions }) => toGatewayError({ message, ...extensions }, index));
}

/** Without what is null, and with the path as texts, from the item on. */
function toGatewayError(given: Readonly<Record<string, unknown>>, index: number | undefined): GatewayError {
  const members = Object.entries(given).filter(([name, value]) => value != null && !NOT_OF_ERROR.has(name));
  const path = inputPathOf(given)?.map(String);
  const isInItem = index !== undefined && path?.[0] === 'items';
  return {
    ...(Object.fromEntries(members) as unknown as GatewayError),
    ...(path && { inputPath: isInItem ? path.slice(2) : path }),
  };
}

/** What says which write an error is about, and is no part of it. */
const NOT_OF_ERROR: ReadonlySet<string> = new Set(['__typename', 'field', 'outcome']);
