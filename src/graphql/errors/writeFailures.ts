/** What the response has of a write: its payload, with its failure as data if the operation selects the errors of the payload. */
import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import { ErrorCode, type WriteOutcome } from '../../errors.js';
import type { BulkSettings, GatewayContext, ItemReport } from '../../fields/context.js';
import type { FieldEntry } from '../../fields/field.js';
import { elementInfos, isSelected, selectedNames } from '../../fields/selections.js';
import { GatewayError } from '../../gatewayError.js';
import { failureAsData } from './publicErrors.js';

/** Has every mutation field return a payload with its failure if the operation selects `errors` of it; bugs stay GraphQL errors. */
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
        if (!isOfEarlierAttempt(error)) telemetry.writeEnded(field.name, failedOutcome(error));
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
 * Of later items, messages of the service and notifications are left out, and never outcomes and identifiers.
 */
const MAX_KEPT_BYTES = 524_288;

/** Reports the items of bulk fields as single writes are reported. */
export const reportItems: BulkSettings['reportItems'] = (field, context, info) => {
  const { telemetry, client } = context;
  const infos = elementInfos(info, 'results');
  const hasErrors = infos.some((each) => isSelected(each, 'errors'));
  const hasSubject = infos.some(selectsSubject);
  /** Whether what an item has read may be kept. */
  const keeps = (bytes: number): boolean => {
    const { itemBytes = 0 } = context;
    if (itemBytes + bytes > MAX_KEPT_BYTES) return false;
    context.itemBytes = itemBytes + bytes;
    return true;
  };
  const reportEffect = (payload: object, bytes: number): ItemReport => {
    const value = keeps(bytes) ? payload : { ...payload, messages: [], notification: undefined };
    return { value, outcome: 'APPLIED', errors: [] };
  };
  const reportFailure = (error: unknown, subject: () => object, bytes: number): ItemReport => {
    if (!isOfEarlierAttempt(error)) telemetry.writeEnded(field, failedOutcome(error));
    if (!(error instanceof GatewayError)) {
      const errors = [{ code: ErrorCode.InternalServerError, retryable: false }];
      return { value: error as Error, outcome: 'UNKNOWN', errors, failure: error };
    }
    const { serviceMessages = [] } = error;
    const messageBytes = serviceMessages.reduce((total, { size }) => total + size, 0);
    const failure = keeps(bytes + messageBytes)
      ? error
      : error.with({ serviceMessages: undefined, current: undefined });
    const data = failureAsData(failure, client.ids);
    const errors = data.errors.map(({ code, retryable }) => ({ code, retryable }));
    const value = hasErrors ? { ...(hasSubject && subject()), ...data } : failure;
    return { value, outcome: data.outcome, errors, failure };
  };
  return {
    unsent: (reason, subject) => reportFailure(reason, subject, 0),
    async sent(write, subject, readBytes) {
      try {
        const report = reportEffect(await write(), readBytes());
        telemetry.writeEnded(field, report.outcome);
        return report;
      } catch (error) {
        return reportFailure(error, subject, readBytes());
      }
    },
  };
};

const reportMembers = new Set(['outcome', 'evidence', 'errors', 'current']);

/** Whether a payload needs what follows from the arguments, which are parsed for it. */
function selectsSubject(info: GraphQLResolveInfo): boolean {
  return selectedNames(info).some((name) => !reportMembers.has(name));
}

function isOfEarlierAttempt(error: unknown): boolean {
  return error instanceof GatewayError && (error.meaning.isOfEarlierAttempt ?? false);
}

/** A bug may have any outcome. */
function failedOutcome(error: unknown): WriteOutcome {
  return error instanceof GatewayError ? error.outcome : 'UNKNOWN';
}
