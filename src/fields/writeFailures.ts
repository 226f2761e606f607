/** The results of writes: a payload, with its failure as data if the operation selects `errors`; and failures as clients see them. */
import { truncate } from '../domain/text.js';
import { shortenMessage } from '../domain/libraryMessages.js';
import { ErrorCode } from '../errors.js';
import { isOfEarlierAttempt } from '../failures.js';
import type { FailureAsData, FieldSettings, GatewayContext } from './context.js';
import type { WriteError } from '../freight/write.js';
import { GatewayError, type ServiceMessage } from '../gatewayError.js';

/**
 * Maximum bytes of responses that the items of an operation keep until its own response is written: many lists are in memory at a time.
 * Beyond this, items omit messages of the service and notifications, but never outcomes and identifiers.
 */
const MAX_KEPT_BYTES = 524_288;

const MAX_WRITE_ERRORS = 100;

/** How a write ended, as the response has it. */
export interface WriteReport extends FailureAsData {
  /** The payload, or the failure if the operation does not select `errors`. */
  readonly value: object;
  readonly failure?: unknown;
}

/**
 * Reports writes of the single mutation field with this name, and counts how they ended. `hasErrors` is whether the operation selects `errors`
 * of their payloads. `readBytes` is the size of the responses to the calls of an item, which its report may hold.
 */
export function createReporter(
  field: string,
  entry: { subject(args: never, settings: FieldSettings): object },
  context: GatewayContext,
  hasErrors: boolean,
) {
  const { telemetry, settings } = context;
  const { requestId } = context.client.ids;
  /** Whether a report may keep what was read. */
  const keeps = (bytes: number) => (context.itemBytes += bytes) <= MAX_KEPT_BYTES;
  return {
    applied: (payload: object, readBytes: number): WriteReport => {
      telemetry.writeEnded({ field, outcome: 'APPLIED' });
      const value = keeps(readBytes) ? payload : { ...payload, messages: [], notification: undefined };
      return { value, outcome: 'APPLIED', errors: [] };
    },
    failed: (error: unknown, given: object, readBytes = 0): WriteReport => {
      if (!(error instanceof GatewayError)) {
        telemetry.writeEnded({ field, outcome: 'UNKNOWN' }); // a bug may have any outcome
        const errors = [{ code: ErrorCode.InternalServerError, retryable: false }];
        return { value: error as Error, outcome: 'UNKNOWN', errors, failure: error };
      }
      // A write that an earlier attempt with its key prevented has the outcome of that one, which was reported.
      if (!isOfEarlierAttempt(error.meaning.code)) telemetry.writeEnded({ field, outcome: error.outcome });
      const { serviceMessages = [] } = error;
      const messageBytes = serviceMessages.reduce((total, { bytes }) => total + bytes, 0);
      const failure = keeps(readBytes + messageBytes)
        ? error
        : error.with({ serviceMessages: undefined, current: undefined });
      const { outcome, evidence, current } = failure;
      const isDryRun = failure.failure === 'dryRun'; // its write is valid, and nothing went wrong
      const all = isDryRun ? [] : publicFailures(failure, true).slice(0, MAX_WRITE_ERRORS);
      const errors = all.map((each): WriteError => ({ ...each, requestId }));
      return {
        value: hasErrors
          ? { ...entry.subject(given as never, settings), outcome, evidence, errors, current }
          : failure,
        outcome,
        errors,
        failure,
      };
    },
  };
}

/** A failure as clients see it: as members of `WriteError`, or as an error and its `extensions`. */
export type PublicFailure = Omit<WriteError, 'requestId'>;

/** One failure for each violation of the input, or for each argument that messages of the service name, and one for other messages. */
export function publicFailures(failure: GatewayError, isMutation: boolean): readonly PublicFailure[] {
  const { outcome, isSafeToRepeat, status, retryAfterSeconds, candidates, violations } = failure;
  const { code, isTransient } = failure.meaning;
  const maySucceed = !isMutation || outcome === 'NOT_APPLIED' || isSafeToRepeat;
  const common = {
    message: shortenMessage(failure.message),
    code,
    outcome: isMutation ? outcome : undefined,
    retryable: isTransient && maySucceed,
  };
  if (violations.length > 0)
    return violations.map(({ path, rule, limit, message, field }) => ({
      ...common,
      message,
      field: field === undefined ? undefined : truncate(field, MAX_KEY_CHARACTERS),
      inputPath: shortenInputPath(path),
      rule,
      limit,
    }));
  const [first, ...others] = messagesByArgument(failure);
  const base = { ...common, retryAfterSeconds, status };
  return [{ ...base, ...first, candidates }, ...others.map((each) => ({ ...base, ...each }))];
}

/** The messages of the service, those about no argument last. */
function messagesByArgument({ serviceMessages = [], argumentOf }: GatewayError) {
  const groups = new Map<string, { inputPath?: (number | string)[]; serviceMessages: ServiceMessage[] }>();
  for (const message of serviceMessages) {
    const path = message.field === undefined ? undefined : argumentOf?.(message.field);
    const key = JSON.stringify(path);
    const group = groups.get(key);
    if (group) group.serviceMessages.push(message);
    else groups.set(key, { ...(path && { inputPath: shortenInputPath(path) }), serviceMessages: [message] });
  }
  return [...groups.values()].sort((one, other) => Number(!one.inputPath) - Number(!other.inputPath));
}

/** Response keys are quoted in full unless they are absurdly long, because clients find the field by its path. */
const MAX_KEY_CHARACTERS = 1000;

export function shortenInputPath(path: readonly PropertyKey[]): (string | number)[] {
  return path.map((part) => (typeof part === 'number' ? part : truncate(String(part))));
}

export function shortenKey(key: string | number): string | number {
  return typeof key === 'string' ? truncate(key, MAX_KEY_CHARACTERS) : key;
}
