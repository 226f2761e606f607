/** What the response has of a write: its payload, with its failure as data if the operation selects the errors of the payload. */
import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import { ErrorCode, type WriteOutcome } from '../../errors.js';
import type { BulkSettings, GatewayContext, ItemReport } from '../../fields/context.js';
import { InvalidInputError, type FieldEntry } from '../../fields/field.js';
import { elementInfos, isSelected, selectedNames } from '../../fields/selections.js';
import type { WriteErrorMapper } from '../../freight/contract.mappers.js';
import type { RequestIds } from '../../telemetry/requestSummary.js';
import { ServiceError } from '../../transport/serviceError.js';
import { inputFailure, serviceFailures } from './publicErrors.js';
import {
  createMeasure,
  textBytes,
  tooLarge,
  type ResultLimitOptions,
  type ResultSize,
} from '../resultLimit.js';

/** Maximum errors of a payload. */
const MAX_WRITE_ERRORS = 100;

/**
 * Has every mutation field return a payload with its failure if the operation selects `errors` of it. Applied after limitResults: a result
 * that is too large is such a failure, too. A payload that does not fit itself leaves the failure a GraphQL error, as bugs are.
 */
export function reportFailuresAsData(schema: GraphQLSchema, limits: ResultLimitOptions): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve, extensions } = field;
    const entry = extensions['entry'] as FieldEntry;
    if (entry.items) continue;
    field.resolve = async (source, args: object, context: GatewayContext, info: GraphQLResolveInfo) => {
      const { telemetry } = context;
      try {
        const payload: unknown = await resolve?.(source, args, context, info);
        telemetry.writeEnded(field.name, 'APPLIED');
        return payload;
      } catch (error) {
        if (!isOfEarlierAttempt(error)) telemetry.writeEnded(field.name, failedOutcome(error));
        if (!isFailure(error) || !isSelected(info, 'errors')) throw error;
        const report = reportOf(error, context.client.ids);
        const payload = { ...(selectsSubject(info) && entry.subject?.(args, context.settings)), ...report };
        if (createMeasure([info], context)(payload).bytes > limits.maxResultBytes) throw error;
        const { outcome, errors } = report;
        context.failuresAsData.push({ outcome, errors });
        return payload;
      }
    };
  }
}

/** Maximum values in the results of items that are not sent: an operation with as many takes up to 50 ms of CPU (Node.js 26). */
const MAX_UNSENT_VALUES = 25_000;
/** Maximum bytes of these results, for each byte that a request may have. */
const MAX_UNSENT_EXPANSION = 8;

/** Maximum bytes of the results of all items that an operation sends, and of what they are made of: many are in memory at a time. */
const MAX_BULK_BYTES = 524_288;

/** What each result of an item that is sent has room for from the start. */
const SHORTEST_RESULT = {
  outcome: 'NOT_APPLIED',
  evidence: 'READ_BACK',
  notificationGuid: '0'.repeat(36),
  messages: [],
  errors: [
    {
      code: 'IDEMPOTENCY_OUTCOME_UNKNOWN',
      message: ' '.repeat(80),
      retryable: false,
      requestId: '0'.repeat(36),
      serviceMessages: [],
    },
  ],
};

/**
 * Reports the items of bulk fields as single writes are reported. What outcomes and identifiers take is set aside before anything is sent.
 * Of a result that does not fit, the messages of the service are left out first, and then the notification; one that still does not fit is
 * the failure that a single write would have.
 */
export function itemReporter(limits: ResultLimitOptions): BulkSettings['reportItems'] {
  const maxBytes = Math.min(limits.maxResultBytes, MAX_BULK_BYTES);
  /** Of all bulk fields of an operation together. */
  const spaces = new WeakMap<GatewayContext, ReturnType<typeof createSpace>>();
  return (field, context, info, itemsToSend) => {
    const { telemetry, client } = context;
    const infos = elementInfos(info, 'results');
    const hasErrors = infos.some((each) => isSelected(each, 'errors'));
    const hasSubject = infos.some(selectsSubject);
    const measure = createMeasure(infos, context);
    const space = spaces.get(context) ?? createSpace(maxBytes, limits);
    spaces.set(context, space);
    const reservedBytes = measure(SHORTEST_RESULT).bytes;
    if (!space.take(itemsToSend * reservedBytes, 0)) throw tooLarge(maxBytes).withOutcome('NOT_APPLIED');

    /** Until the response is written, a result takes what was read for it, whatever is selected. */
    const fits = (payload: object, keptBytes: number, isSent: boolean): boolean => {
      const size = measure(payload);
      if (isSent) return space.take(Math.max(0, size.bytes - reservedBytes), keptBytes);
      space.takeUnsent(size);
      return true;
    };
    const reportEffect = (payload: object): ItemReport => {
      for (const left of [{}, { messages: [] }]) {
        const value = { ...payload, ...left };
        if (fits(value, textBytes(value), true)) return { value, outcome: 'APPLIED', errors: [] };
      }
      const shortest = { ...payload, messages: [], notification: undefined };
      if (fits(shortest, 0, true)) return { value: shortest, outcome: 'APPLIED', errors: [] };
      throw tooLarge(maxBytes);
    };
    const reportFailure = (error: unknown, subject: () => object, isSent: boolean): ItemReport => {
      if (!isFailure(error)) {
        const errors = [{ code: ErrorCode.InternalServerError, retryable: false }];
        return { value: error as Error, outcome: 'UNKNOWN', errors, failure: error };
      }
      const report = reportOf(error, client.ids);
      const errors = report.errors.map(({ code, retryable }) => ({ code, retryable }));
      const described = { outcome: report.outcome, errors, failure: error };
      const kept = error instanceof ServiceError ? error : undefined;
      const keptBytes = kept ? keptBytesOf(kept) : 0;
      const shorten = () => {
        if (kept) kept.serviceMessages = kept.current = undefined;
      };
      if (!hasErrors) {
        if (!space.take(0, keptBytes)) shorten();
        return { value: error, ...described };
      }
      const members = hasSubject ? subject() : {};
      const payload = { ...members, ...report };
      if (fits(payload, keptBytes, isSent)) return { value: payload, ...described };
      shorten();
      const shortened = { ...members, ...reportOf(error, client.ids) };
      return { value: fits(shortened, 0, true) ? shortened : error, ...described };
    };
    const reportEnd = (error: unknown, subject: () => object, isSent: boolean): ItemReport => {
      if (!isOfEarlierAttempt(error)) telemetry.writeEnded(field, failedOutcome(error));
      return reportFailure(error, subject, isSent);
    };
    return {
      unsent: (reason, subject) => reportEnd(reason, subject, false),
      async sent(write, subject) {
        try {
          const report = reportEffect(await write());
          telemetry.writeEnded(field, report.outcome);
          return report;
        } catch (error) {
          return reportEnd(error, subject, itemsToSend > 0);
        }
      },
    };
  };
}

function keptBytesOf({ serviceMessages = [], current }: ServiceError): number {
  const ofCurrent = current === undefined ? 0 : textBytes(current);
  return serviceMessages.reduce((total, { size }) => total + size, ofCurrent);
}

/** What the results of an operation's items may still take. */
function createSpace(maxBytes: number, { maxBodyBytes }: ResultLimitOptions) {
  let bytesLeft = maxBytes;
  let keptBytesLeft = MAX_BULK_BYTES;
  const maxUnsent = { bytes: MAX_UNSENT_EXPANSION * maxBodyBytes, values: MAX_UNSENT_VALUES };
  const unsent = { bytes: 0, values: 0 };
  return {
    /** Whether a result fits, which has so many bytes and is made of values that have `keptBytes`. */
    take(bytes: number, keptBytes: number): boolean {
      if (bytes > bytesLeft || keptBytes > keptBytesLeft) return false;
      bytesLeft -= bytes;
      keptBytesLeft -= keptBytes;
      return true;
    },
    /** Results of items that are not sent cost nothing but the CPU of this process. Throws a ServiceError if they become too large. */
    takeUnsent(size: ResultSize): void {
      for (const unit of ['bytes', 'values'] as const) {
        unsent[unit] += size[unit];
        if (unsent[unit] > maxUnsent[unit])
          throw new ServiceError('resultTooLarge', {
            message: `Expected results of at most ${maxUnsent[unit]} ${unit} for items that are not sent, got more: select fewer fields`,
            outcome: 'NOT_APPLIED',
          });
      }
    },
  };
}

const reportMembers = new Set(['outcome', 'evidence', 'errors', 'current']);

/** Whether a payload needs what follows from the arguments, which are parsed for it. */
function selectsSubject(info: GraphQLResolveInfo): boolean {
  return selectedNames(info).some((name) => !reportMembers.has(name));
}

type WriteFailure = InvalidInputError | ServiceError;

function isFailure(error: unknown): error is WriteFailure {
  return error instanceof InvalidInputError || error instanceof ServiceError;
}

function isOfEarlierAttempt(error: unknown): boolean {
  return error instanceof ServiceError && (error.meaning.isOfEarlierAttempt ?? false);
}

/** A bug may have any outcome. */
function failedOutcome(error: unknown): WriteOutcome {
  if (error instanceof InvalidInputError) return 'NOT_APPLIED';
  return error instanceof ServiceError ? error.outcome : 'UNKNOWN';
}

function reportOf(error: WriteFailure, { requestId }: RequestIds) {
  const isMutation = true;
  const outcome = failedOutcome(error);
  if (error instanceof InvalidInputError) {
    const violations = error.errors.slice(0, MAX_WRITE_ERRORS);
    const errors = violations.map((each): WriteErrorMapper => ({
      ...inputFailure(each, { isMutation }),
      requestId,
    }));
    return { outcome, evidence: 'NOT_SENT', errors };
  }
  const { evidence, current } = error;
  const isDryRun = error.failure === 'dryRun'; // its write is valid, and nothing went wrong
  const failures = isDryRun ? [] : serviceFailures(error, { isMutation });
  const errors = failures.map((failure): WriteErrorMapper => ({ ...failure, requestId }));
  return { outcome, evidence, errors, current };
}
