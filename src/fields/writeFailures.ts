/** Public failures, and the results of writes: a payload, with its failure as data if the operation selects `errors`. */
import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import { truncate } from '../domain/json.js';
import { shortenMessage } from '../domain/libraryMessages.js';
import { ErrorCode, type GatewayErrorExtensions, type WriteOutcome } from '../errors.js';
import type { FailureAsData, GatewayContext } from './context.js';
import type { FieldEntry } from './field.js';
import { elementInfos, isSelected, selectedNames } from './selections.js';
import type { WriteError } from '../freight/write.js';
import { GatewayError, type ArgumentPath, type ServiceMessage } from '../gatewayError.js';

/** Makes every mutation field return its failure in the payload if the operation selects `errors`; bugs stay GraphQL errors. */
export function reportFailuresAsData(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve, extensions } = field;
    const entry = extensions['entry'] as FieldEntry;
    if (entry.items) continue;
    field.resolve = async (source, args: object, context: GatewayContext, info: GraphQLResolveInfo) => {
      const { telemetry, client, settings } = context;
      try {
        const payload: unknown = await resolve?.(source, args, context, info);
        telemetry.writeEnded(field.name, 'APPLIED');
        return payload;
      } catch (error) {
        reportFailedWrite(telemetry, field.name, error);
        if (!(error instanceof GatewayError) || !isSelected(info, 'errors')) throw error;
        const failure = failureAsData(error, client.ids);
        context.failuresAsData.push(failure);
        return { ...(selectsSubject(info) && entry.subject?.(args, settings)), ...failure };
      }
    };
  }
}

/**
 * Maximum bytes of responses that the items of an operation keep until its own response is written: many lists are in memory at a time.
 * Beyond this, items omit messages of the service and notifications, but never outcomes and identifiers.
 */
const MAX_KEPT_BYTES = 524_288;

/** An item's entry in the response. */
export interface ItemReport {
  /** The payload, or the failure if the operation does not select `errors`. */
  readonly value: object;
  readonly outcome: WriteOutcome;
  readonly failure?: unknown;
  /** Empty for a dry run. */
  readonly errors: FailureAsData['errors'];
}

/** An item whose end is reported. */
export interface Reportable {
  /** Its arguments as the client sent them. */
  readonly given: object;
  /** Bytes of the responses to its calls, which its report may hold. @default 0 */
  readBytes?: number;
  report?: ItemReport;
}

/** Reports the items of a bulk field, whose single mutation field has this name and entry, like single writes. */
export function createReporter(
  field: string,
  entry: FieldEntry,
  context: GatewayContext,
  info: GraphQLResolveInfo,
) {
  const { telemetry, client, settings } = context;
  const infos = elementInfos(info, 'results');
  const hasErrors = infos.some((each) => isSelected(each, 'errors'));
  const hasSubject = infos.some(selectsSubject);
  /** Whether an item may keep the responses that it has read; counts their bytes if so. */
  const keeps = (bytes: number): boolean => {
    const { itemBytes = 0 } = context;
    if (itemBytes + bytes > MAX_KEPT_BYTES) return false;
    context.itemBytes = itemBytes + bytes;
    return true;
  };
  const failureReport = (error: unknown, { given, readBytes = 0 }: Reportable): ItemReport => {
    if (!(error instanceof GatewayError)) {
      const errors = [{ code: ErrorCode.InternalServerError, retryable: false }];
      return { value: error as Error, outcome: 'UNKNOWN', errors, failure: error };
    }
    const { serviceMessages = [] } = error;
    const messageBytes = serviceMessages.reduce((total, { bytes }) => total + bytes, 0);
    const failure = keeps(readBytes + messageBytes)
      ? error
      : error.with({ serviceMessages: undefined, current: undefined });
    const data = failureAsData(failure, client.ids);
    const errors = data.errors.map(({ code, retryable }) => ({ code, retryable }));
    const value = hasErrors ? { ...(hasSubject && entry.subject?.(given, settings)), ...data } : failure;
    return { value, outcome: data.outcome, errors, failure };
  };
  return {
    applied(item: Reportable, payload: object): void {
      telemetry.writeEnded(field, 'APPLIED');
      const isKept = keeps(item.readBytes ?? 0);
      const value = isKept ? payload : { ...payload, messages: [], notification: undefined };
      item.report = { value, outcome: 'APPLIED', errors: [] };
    },
    failed(item: Reportable, error: unknown): void {
      reportFailedWrite(telemetry, field, error);
      item.report = failureReport(error, item);
    },
  };
}

const reportMembers = new Set(['outcome', 'evidence', 'errors', 'current']);

/** Whether a payload selects members that follow from the arguments: parsing the arguments for them takes CPU time. */
function selectsSubject(info: GraphQLResolveInfo): boolean {
  return selectedNames(info).some((name) => !reportMembers.has(name));
}

/** A write that an earlier attempt with its key prevented has the outcome of that one, which was reported. A bug may have any outcome. */
function reportFailedWrite(telemetry: GatewayContext['telemetry'], field: string, error: unknown): void {
  if (!(error instanceof GatewayError)) telemetry.writeEnded(field, 'UNKNOWN');
  else if (!error.meaning.isOfEarlierAttempt) telemetry.writeEnded(field, error.outcome);
}

/** Maximum errors of a payload. */
const MAX_WRITE_ERRORS = 100;

/** A failed write as data: the members of its payload. */
function failureAsData(failure: GatewayError, { requestId }: Pick<WriteError, 'requestId'>) {
  const { outcome, evidence, current } = failure;
  const isDryRun = failure.failure === 'dryRun'; // its write is valid, and nothing went wrong
  const all = isDryRun ? [] : publicFailures(failure, true);
  const errors = all.slice(0, MAX_WRITE_ERRORS).map((each): WriteError => ({ ...each, requestId }));
  return { outcome, evidence, errors, current };
}

/** A failure as clients see it: as members of `WriteError`, or as an error and its `extensions`. */
export type PublicFailure = Omit<WriteError, 'requestId'>;

/** One failure for each violation of the input, or for each argument that messages of the service name, and one for other messages. */
export function publicFailures(failure: GatewayError, isMutation: boolean): readonly PublicFailure[] {
  const { status, retryAfterSeconds, candidates, violations } = failure;
  const common = {
    message: shortenMessage(failure.message),
    code: failure.meaning.code,
    ...outcomeOf(failure, isMutation),
  };
  if (violations.length > 0)
    return violations.map(({ path, rule, limit, message, field }) => ({
      ...common,
      message,
      field: field === undefined ? undefined : String(shortenKey(field)),
      inputPath: shortenInputPath(path),
      rule,
      limit,
    }));
  const base = { ...common, retryAfterSeconds, status };
  const { others, ofArguments } = messagesByArgument(failure);
  const all: PublicFailure[] = [...ofArguments.values()].map(({ inputPath, serviceMessages }) => ({
    ...base,
    inputPath: shortenInputPath(inputPath),
    serviceMessages,
  }));
  if (others.length > 0) all.push({ ...base, serviceMessages: others });
  const [first = base, ...rest] = all;
  return [{ ...first, candidates }, ...rest];
}

function messagesByArgument({ serviceMessages = [], argumentOf }: GatewayError) {
  const ofArguments = new Map<string, { inputPath: ArgumentPath; serviceMessages: ServiceMessage[] }>();
  const others: ServiceMessage[] = [];
  for (const message of serviceMessages) {
    const inputPath = message.field === undefined ? undefined : argumentOf?.(message.field);
    const key = JSON.stringify(inputPath);
    if (inputPath === undefined) others.push(message);
    else if (ofArguments.has(key)) ofArguments.get(key)?.serviceMessages.push(message);
    else ofArguments.set(key, { inputPath, serviceMessages: [message] });
  }
  return { others, ofArguments };
}

/** Whether a mutation took effect, and whether repeating the field is safe and may succeed. */
function outcomeOf(
  { outcome, meaning: { isTransient }, isSafeToRepeat }: GatewayError,
  isMutation: boolean,
): Pick<GatewayErrorExtensions, 'outcome' | 'retryable'> {
  if (!isMutation) return { retryable: isTransient };
  return { outcome, retryable: isTransient && (outcome === 'NOT_APPLIED' || isSafeToRepeat) };
}

/** Response keys are quoted in full unless they are absurdly long, because clients find the field by its path. */
const MAX_KEY_CHARACTERS = 1000;

/** A path within arguments, with the client's names truncated. */
export function shortenInputPath(path: readonly PropertyKey[]): (string | number)[] {
  return path.map((part) => (typeof part === 'number' ? part : truncate(String(part))));
}

export function shortenKey(key: string | number): string | number {
  return typeof key === 'string' ? truncate(key, MAX_KEY_CHARACTERS) : key;
}
