/** The outcome of a write, wherever the gateway said it, and what to do next. */
import { isGatewayError, type ErrorCode, type InputRule, type WriteOutcome } from '../errors.js';
import { failuresIn, isNetworkFailure, objectOf, read, type GraphQLErrorLike } from './source.js';

/** How the outcome is known: by the service's response, a read after the write, an earlier attempt, or because nothing was sent. */
export type OutcomeEvidence = 'RESPONSE' | 'READ_BACK' | 'REPLAY' | 'NOT_SENT';

/**
 * The next step, by which a user interface branches.
 *
 * | Step | When | The app |
 * |---|---|---|
 * | `NONE` | applied | goes on |
 * | `SEND` | not sent: new, a valid dry run, or only other items were invalid | sends it |
 * | `REPEAT` | every error is `retryable`, or nothing is known of the write and it has a key | repeats it with the same key, after `retryAfterSeconds` |
 * | `SIGN_IN` | the token is missing or was rejected | renews it, and repeats |
 * | `REQUEST_ACCESS` | the token lacks a right (403) | says so; once the right is granted, repeats |
 * | `CORRECT` | invalid input, nothing found, rejected by the service | shows the errors; the corrected input gets a new key |
 * | `RELOAD` | somebody else has changed it | shows both versions |
 * | `DECIDE` | unknown, and a repeat will not find out | only a person may send it again, with a new key |
 * | `REPORT` | anything else | shows the `requestId` |
 */
export type NextStep =
  | 'NONE'
  | 'SEND'
  | 'REPEAT'
  | 'SIGN_IN'
  | 'REQUEST_ACCESS'
  | 'CORRECT'
  | 'RELOAD'
  | 'DECIDE'
  | 'REPORT';

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
  /**
   * Path of the invalid input, or of the value that the service objects to, within the arguments of the field, or within the item of a bulk
   * field. Indexes are texts.
   */
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
  /** If nothing is known of the write: what there was instead of its result, such as what `fetch` threw. */
  readonly cause?: unknown;
}

/** Selects an item of the source, and says how the write was sent. A number is the `index`. */
export type Selector =
  | number
  | {
      /** Index of an item of a bulk field, from 0. */
      index?: number | undefined;
      /**
       * Whether the write has an idempotency key that a repeat will send again, as `createIntent` and `createBatch` do.
       * Without one, a write of which nothing is known ends in `DECIDE`. @default true: every mutation of a browser needs one
       */
      hasKey?: boolean;
      /** Whether it was a dry run: without errors, nothing was applied. Only needed if the operation does not select `outcome`. */
      dryRun?: boolean;
    };

/**
 * The result of a mutation field, or of one item of a bulk field. Select `outcome`, `evidence` and `errors` with at least `code`,
 * `retryable`, `requestId` and `inputPath`. A payload without its `outcome` is `APPLIED` if its `errors` are empty, and `UNKNOWN` otherwise.
 *
 * Never throws. A source that is neither a result nor a failure of the network, such as a misspelled field or a promise, is the mistake of a
 * program: `REPORT`, with the `cause`, and an error on the console unless `NODE_ENV` is `production`.
 * @typeParam Data the type of the operation's data: `field` has to be a key of it
 * @param source what the application has in hand: a GraphQL response, the result or the error of Apollo Client, urql or Relay, or
 *   whatever `fetch` threw. A result says more than an error: the error of urql has no `data`.
 * @param field response key of the field: its alias, or its name
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- a source of any type may be given
export function resultOf<Data = Record<string, unknown>>(
  source: unknown,
  field: keyof Data & string,
  selector: Selector = {},
): WriteResult {
  const result = findResult(source, field, selector);
  if (result.nextStep === 'REPORT' && result.outcome === 'UNKNOWN' && 'cause' in result) warn(field, source);
  return result;
}

function findResult(source: unknown, field: string, selector: Selector): WriteResult {
  const { index, hasKey = true, dryRun } = typeof selector === 'number' ? { index: selector } : selector;
  const { data, errors: responseErrors, response, cause } = read(source);
  const reported = responseErrors ?? [];
  const payload = index === undefined ? data[field] : objectOf(objectOf(data[field])['results'])[index];
  if (payload != null) {
    const errors = failuresIn(payload).map((failure) => toGatewayError(failure, index));
    const { outcome = outcomeBy(payload, dryRun), evidence } = payload as Partial<WriteResult>;
    return { outcome, evidence: evidence ?? undefined, errors, nextStep: nextStepAfter(outcome, errors) };
  }
  const own = reported.filter((error) => isAbout(error, field, index));
  // The input of another field or item keeps this one from being executed.
  const decisive = own.length > 0 ? own : reported.filter((error) => rejects(error, field));
  const isNotApplied =
    decisive.length > 0 && decisive.every((error) => provesNotApplied(error, field, index));
  const isApplied = own.length > 0 && own.every((error) => provesApplied(error, index));
  const outcome = isApplied ? 'APPLIED' : isNotApplied ? 'NOT_APPLIED' : 'UNKNOWN';
  const errors = toGatewayErrors(own, index);
  const ended = { outcome, evidence: undefined, errors } as const;
  if (isNotApplied || errors.length > 0) return { ...ended, nextStep: nextStepAfter(outcome, errors) };
  // A proxy has rejected the request for its size (RFC 9110 section 15.5.14).
  if (response?.status === 413) return { ...ended, outcome: 'NOT_APPLIED', nextStep: 'REPORT', cause };
  const isLost = responseErrors ? reported.length > 0 : isNetworkFailure(cause);
  return { ...ended, nextStep: !isLost ? 'REPORT' : hasKey ? 'REPEAT' : 'DECIDE', cause };
}

/** The outcome of a payload that does not select it. */
function outcomeBy(payload: unknown, isDryRun = false): WriteOutcome {
  const { errors } = objectOf(payload);
  if (!Array.isArray(errors) || errors.length > 0) return 'UNKNOWN';
  return isDryRun ? 'NOT_APPLIED' : 'APPLIED';
}

/** Exists in Node.js, and with bundlers, which replace the variable. */
declare const process: { env: { NODE_ENV?: string } };

const warned = new WeakSet();

/** Tells the programmer, once for each source. */
function warn(field: string, given: unknown): void {
  const source = Object(given) as object;
  if (warned.has(source) || isProduction()) return;
  warned.add(source);
  // oxlint-disable-next-line no-console -- there is nobody else to tell
  console.error(`Expected a GraphQL response with ${field}, or a failure of the network, got`, given);
}

function isProduction(): boolean {
  try {
    // oxlint-disable-next-line no-restricted-properties -- bundlers replace it
    return process.env.NODE_ENV === 'production';
  } catch {
    return false; // a browser without a bundler has no process
  }
}

/** The outcome alone of {@link resultOf}. */
export function outcomeOf(source: unknown, field: string, index?: number): WriteOutcome {
  return resultOf(source, field, index).outcome;
}

/**
 * The errors of a root field, of queries, too, or of one item of a bulk field. Errors of the whole request belong to each field. Errors
 * that are not of the gateway, but of a router for example, are left out.
 * @param field response key of the field; without it, the errors of all fields
 */
export function errorsOf(source: unknown, field?: string, index?: number): readonly GatewayError[] {
  if (field !== undefined) return findResult(source, field, { index }).errors;
  const { data, errors = [] } = read(source);
  const failures = Object.values(data).flatMap(failuresIn);
  return [...toGatewayErrors(errors), ...failures.map((failure) => toGatewayError(failure))];
}

function nextStepAfter(outcome: WriteOutcome, errors: readonly GatewayError[]): NextStep {
  const has = (...codes: string[]) => errors.some(({ code }) => codes.includes(code));
  if (outcome === 'APPLIED') return 'NONE';
  if (has('CONFLICT')) return 'RELOAD';
  if (has('UNAUTHENTICATED')) return 'SIGN_IN';
  if (errors.length > 0 && errors.every(({ retryable }) => retryable)) return 'REPEAT';
  if (outcome === 'UNKNOWN') return 'DECIDE';
  if (has('FORBIDDEN')) return 'REQUEST_ACCESS';
  if (has('BAD_USER_INPUT', 'NOT_FOUND', 'SERVICE_REJECTED')) return 'CORRECT';
  if (errors.length === 0 || has('DRY_RUN', 'OTHER_ITEM_INVALID')) return 'SEND';
  return 'REPORT';
}

/** Whether an error is about the field, or the item: one without a place is about all of them. */
function isAbout({ path, extensions }: GraphQLErrorLike, field: string, index: number | undefined): boolean {
  const [argument, position] = inputPathOf(extensions) ?? [];
  const item = path?.[2] ?? (argument === 'items' ? position : index);
  return (
    (path?.[0] ?? extensions?.['field'] ?? field) === field && (index === undefined || Number(item) === index)
  );
}

/** Whether an error keeps the field from being executed: it has no path (GraphQL specification, section 7.1.2), or is about arguments. */
function rejects({ path, extensions }: GraphQLErrorLike, field: string): boolean {
  return !path || (path[0] === field && path.length === 1 && inputPathOf(extensions) !== undefined);
}

/** A bulk field that fails as a whole, for another reason than its input, hides what became of its items. */
function provesNotApplied(error: GraphQLErrorLike, field: string, index: number | undefined): boolean {
  if (!isGatewayError(error)) return false;
  const { path, extensions } = error;
  // Where the gateway cannot tell that a mutation was meant, there is no outcome; nothing was executed unless something broke.
  const { code, outcome = path || code === 'INTERNAL_SERVER_ERROR' ? 'UNKNOWN' : 'NOT_APPLIED' } = extensions;
  const isOfItem = index === undefined || rejects(error, field) || path?.length !== 1;
  return outcome === 'NOT_APPLIED' && isOfItem;
}

/** A client may drop the payload because one of its values cannot be read. Then nothing is known of the other items of a bulk field. */
function provesApplied(error: GraphQLErrorLike, index: number | undefined): boolean {
  const isOfItem = typeof error.path?.[2] === 'number';
  return (
    isGatewayError(error) && error.extensions.outcome === 'APPLIED' && isOfItem === (index !== undefined)
  );
}

function inputPathOf(error: unknown): readonly string[] | undefined {
  const { inputPath } = objectOf(error);
  return Array.isArray(inputPath)
    ? inputPath.map((part) => (Object(part) === part ? '' : String(part)))
    : undefined;
}

function toGatewayErrors(errors: readonly GraphQLErrorLike[], index?: number): GatewayError[] {
  return errors
    .filter(isGatewayError)
    .map(({ message, extensions }) => toGatewayError({ message, ...extensions }, index));
}

/** Leaves out members that are null. The path has texts, from the item on. */
function toGatewayError(given: Readonly<Record<string, unknown>>, index?: number): GatewayError {
  const members = Object.entries(given).filter(
    ([name, value]) => value != null && !NOT_OF_ERROR.includes(name),
  );
  const path = inputPathOf(given);
  const start = index !== undefined && path?.[0] === 'items' ? 2 : 0;
  return {
    ...(Object.fromEntries(members) as unknown as GatewayError),
    ...(path && { inputPath: path.slice(start) }),
  };
}

/** Members that say which write an error is about, and are not part of it. */
const NOT_OF_ERROR: readonly string[] = ['__typename', 'field', 'outcome'];
