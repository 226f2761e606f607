/** What the response has of a write: its payload, with its failure as data if the operation selects the errors of the payload. */
import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import { jsonSize } from '../domain/json.js';
import { ErrorCode } from '../errors.js';
import type { BulkSettings, FailureAsData, GatewayContext, ItemReport } from '../fields/context.js';
import { InvalidInputError, type FieldEntry } from '../fields/field.js';
import { elementInfos, isSelected, selectedNames } from '../fields/selections.js';
import type { RequestIds } from '../transport/calls.js';
import { ServiceError } from '../transport/serviceError.js';
import { inputFailure, serviceFailures, type PublicFailure } from './publicError.js';
import { admitElement, admitMeasured, type ResultLimitOptions } from './resultLimit.js';

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
        try {
          admitMeasured(payload, { ...limits, context, info });
        } catch (reason) {
          throw reason instanceof ServiceError ? error : reason;
        }
        const { outcome, errors } = report;
        context.failuresAsData.push({ outcome, errors });
        return payload;
      }
    };
  }
}

/**
 * Reports the items of bulk fields as single writes are reported. What they take is reserved as soon as they end. A payload that does not
 * fit is the failure that a single write would have.
 */
export function itemReporter(limits: ResultLimitOptions): BulkSettings['reportItems'] {
  return (field, context, info) => {
    const { telemetry, client } = context;
    const infos = elementInfos(info, 'results');
    const hasErrors = infos.some((each) => isSelected(each, 'errors'));
    const hasSubject = infos.some(selectsSubject);
    const admit = (payload: object, keptBytes: number) => {
      admitElement(payload, keptBytes, { ...limits, context, infos });
      return payload;
    };
    const reportFailure = (error: WriteFailure, subject: () => object): ItemReport => {
      const report = reportOf(error, client.ids);
      const { outcome } = report;
      const errors = report.errors.map(({ code, retryable }) => ({ code, retryable }));
      const kept = error instanceof ServiceError ? error : undefined;
      const messageBytes = kept?.serviceMessages?.reduce((sum, { size }) => sum + size, 0) ?? 0;
      const keptBytes = messageBytes + jsonSize(kept?.current, Infinity);
      let value: object = error;
      try {
        if (hasErrors) value = admit({ ...(hasSubject && subject()), ...report }, keptBytes);
        else client.memory.addResult(0, keptBytes);
      } catch (reason) {
        if (!(reason instanceof ServiceError)) throw reason;
        if (kept) kept.serviceMessages = kept.current = undefined;
      }
      return { value, outcome, errors, failure: error };
    };
    return async (write, subject) => {
      try {
        const payload = await write();
        admit(payload, jsonSize(payload, Infinity));
        telemetry.writeEnded(field, 'APPLIED');
        return { value: payload, outcome: 'APPLIED', errors: [] };
      } catch (error) {
        if (!isOfEarlierAttempt(error)) telemetry.writeEnded(field, failedOutcome(error));
        if (isFailure(error)) return reportFailure(error, subject);
        return {
          value: error as Error,
          outcome: 'UNKNOWN',
          errors: [{ code: ErrorCode.InternalServerError, retryable: false }],
          failure: error,
        };
      }
    };
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

/** That of a bug is unknown. */
function failedOutcome(error: unknown): FailureAsData['outcome'] {
  const isNotApplied =
    error instanceof InvalidInputError || (error instanceof ServiceError && error.effect === 'none');
  return isNotApplied ? 'NOT_APPLIED' : 'UNKNOWN';
}

function reportOf(error: WriteFailure, { requestId }: RequestIds) {
  const isMutation = true;
  const outcome = failedOutcome(error);
  if (error instanceof InvalidInputError) {
    const failures = error.errors
      .slice(0, MAX_WRITE_ERRORS)
      .map((each) => inputFailure(each, { isMutation }));
    const errors = failures.map((failure) => toWriteError(failure, requestId));
    return { outcome, evidence: 'NOT_SENT', errors };
  }
  const { evidence, current } = error;
  const isDryRun = error.failure === 'dryRun'; // its write is valid, and nothing went wrong
  const failures = isDryRun ? [] : serviceFailures(error, { isMutation });
  const errors = failures.map((failure) => toWriteError(failure, requestId));
  return { outcome, evidence, errors, current };
}

/** The value of the schema's WriteError. */
function toWriteError({ inputPath, serviceMessages, ...failure }: PublicFailure, requestId: string) {
  return {
    ...failure,
    requestId,
    inputPath: inputPath?.map(String),
    get serviceMessages() {
      return serviceMessages?.map((message) => message.toJSON()) ?? [];
    },
  };
}
