/** Derives a bulk field from a single mutation field: the arguments of each item, their rules, its write and its payload. */
import { setImmediate as tickEnd } from 'node:timers/promises';
import type { GraphQLResolveInfo } from 'graphql';
import pMap from 'p-map';
import { stringify } from 'safe-stable-stringify';
import type { z } from 'zod';
import { parseIdempotencyKey } from '../domain/parameters.js';
import { ErrorCode, InputRule, type WriteOutcome } from '../errors.js';
import { GatewayError, type ArgumentPath, type InputError } from '../gatewayError.js';
import type { FieldSettings, GatewayContext } from './context.js';
import { createReporter, type WriteReport } from './writeFailures.js';
import { toInputErrors, type MutationField, type WriteArguments } from './field.js';
import { isSelected, type FieldEntry } from './selections.js';
import { tokenProblem } from '../freight/restCall.js';
import { createItemSender } from '../freight/items.js';
import type { BulkPayload, WritePayload } from '../freight/write.js';

interface BulkArguments<Item> {
  readonly items: readonly Omit<Item, 'dryRun'>[];
  readonly onInvalidItem: 'SEND_NOTHING' | 'SEND_OTHERS';
  readonly dryRun: boolean;
}

export interface BulkField<Item, Payload> extends FieldEntry {
  resolve(
    parent: unknown,
    args: BulkArguments<Item>,
    context: GatewayContext,
    info: GraphQLResolveInfo,
  ): Promise<BulkPayload<Payload>>;
}

/** The bulk fields of mutation fields, each named with the plural of its field. */
export function bulkFieldsOf<Fields extends Readonly<Record<string, MutationField<WriteArguments, unknown>>>>(
  fields: Fields,
) {
  const bulkFields = Object.entries(fields).map(
    ([name, single]) => [`${name}s`, bulkOf(name, single)] as const,
  );
  return Object.fromEntries(bulkFields) as {
    readonly [Name in keyof Fields & string as `${Name}s`]: BulkField<
      Parameters<Fields[Name]['subject']>[0],
      Awaited<ReturnType<Fields[Name]['resolve']>>
    >;
  };
}

interface Row<Args> {
  /** Its arguments as the client sent them. */
  readonly given: object;
  /** Its path within the arguments of the bulk field. */
  readonly path: ArgumentPath;
  /** What is sent, or why it is not. */
  readonly checked: Args | GatewayError;
}

/** Items to check per tick of the event loop: all 500 would delay other requests. */
const ITEMS_PER_TICK = 20;

/** The bulk field of a single mutation field. Metrics and idempotency keys name its items after the single field, `field`. */
function bulkOf<Schema extends WriteArguments, Result>(
  field: string,
  single: MutationField<Schema, Result>,
): BulkField<z.input<Schema>, WritePayload<Result>> {
  type ItemRow = Row<z.output<Schema>>;
  /** Returns a function that makes rows of items, and checks them unless none is to be sent, also for duplicates among them. */
  const createRows = (dryRun: boolean, settings: FieldSettings, unsent?: GatewayError) => {
    const findDuplicates = createDuplicateFinder();
    let violationCount = 0;
    return (item: object, index: number): ItemRow => {
      const given = { ...item, dryRun };
      const path = ['items', index];
      const problem = violationCount < MAX_VIOLATIONS ? unsent : new GatewayError('itemUnchecked');
      if (problem) return { given, path, checked: problem };
      const { data: args, error } = single.parse(given, settings);
      const found = [...toInputErrors(error?.issues ?? []), ...findDuplicates(given, args, index)];
      if (args && found.length === 0) return { given, path, checked: args };
      violationCount += found.length;
      const violations = found.map((each) => ({ ...each, path: [...path, ...each.path] }));
      return { given, path, checked: new GatewayError('inputInvalid', { violations }) };
    };
  };

  return {
    operation: single.operation,
    failsByElement: true,
    reads: () => [],
    restCalls: () => 0,
    items: ({ items }) => (Array.isArray(items) ? items.length : Number(items != null)),
    validate({ items = [] }: { items?: readonly object[] }, settings) {
      const rows = items.map(createRows(false, settings));
      return rows.flatMap(({ checked }) => (checked instanceof GatewayError ? checked.violations : []));
    },

    async resolve(_parent, { items, onInvalidItem, dryRun }, context, info) {
      const { client, settings, bulk } = context;
      const { token } = single.operation;
      const toRow = createRows(dryRun, settings, tokenProblem(client, token));
      const rows: ItemRow[] = [];
      for (const [index, item] of items.entries()) {
        if (index % ITEMS_PER_TICK === 0) await tickEnd();
        rows.push(toRow(item, index));
      }
      const isInvalid = rows.some(({ checked }) => checked instanceof GatewayError);
      const unsent =
        isInvalid && onInvalidItem === 'SEND_NOTHING' ? new GatewayError('otherItemInvalid') : undefined;
      context.bulkDeadline ??= performance.now() + bulk.timeoutMs;
      const sendItem = createItemSender({
        deadline: context.bulkDeadline,
        cancellation: client.cancellation,
        shutdown: bulk.shutdown,
        isTokenShared: token === 'required',
      });
      const hasErrors = isSelected(info, 'results', 'errors');
      const { applied, failed } = createReporter(field, single, context, hasErrors);
      const send = ({ given, path, checked: args }: ItemRow): Promise<WriteReport> | WriteReport => {
        if (args instanceof GatewayError) return failed(args, given);
        if (unsent) return failed(unsent, given);
        // Responses to the calls of an item are not kept until the list ends, so their size counts for the item alone.
        const memory = client.memory.forPart();
        const itemContext = { ...context, client: { ...client, isOfList: true, memory } };
        const request = { field, key: args.idempotencyKey ?? undefined, given, path };
        return sendItem(() => single.send(args, itemContext, request))
          .then(
            (payload) => applied(payload, memory.largest),
            (error: unknown) => failed(error, given, memory.largest),
          )
          .finally(() => memory.release());
      };
      /** The last report about each notification: the service replaces whole definitions, so writes of one do not overlap. */
      const reported = new Map<string, Promise<WriteReport>>();
      const sendInOrder = (row: ItemRow): Promise<WriteReport> => {
        const guid = guidIn(row.checked) ?? '';
        const report = (reported.get(guid) ?? tickEnd()).then(() => send(row));
        if (guid !== '') reported.set(guid, report);
        return report;
      };
      const reports = await pMap(rows, sendInOrder, { concurrency: bulk.concurrency });
      return payloadOf(reports, context, info);
    },
  };
}

/** Maximum violations of a list, because describing them takes CPU time. Items after the last one are neither checked nor sent. */
export const MAX_VIOLATIONS = 1000;

/** Finds items with the key of an earlier one, and items that are the same as an earlier one but for their key: a row pasted twice. */
function createDuplicateFinder() {
  const indexes = new Map<string, number>();
  return (given: object, args: object | undefined, index: number): InputError[] => {
    const { idempotencyKey } = given as { idempotencyKey?: string | null };
    const key = idempotencyKey == null ? undefined : parseIdempotencyKey(idempotencyKey);
    const write = args && stringify({ ...args, notificationGuid: guidIn(args), idempotencyKey: undefined });
    const unique = [
      [key, ['idempotencyKey'], 'a unique idempotency key'],
      [write, [], 'distinct items'],
    ] as const;
    return unique.flatMap(([text, path, expected]) => {
      const first = text === undefined ? undefined : indexes.get(text);
      if (text !== undefined && first === undefined) indexes.set(text, index);
      const message = `expected ${expected}, got the same as the item with index ${first}`;
      return first === undefined ? [] : { path, rule: InputRule.Unique, message };
    });
  };
}

/** The notification that an item is about, in lower case, as reads compare it. */
function guidIn(args: object): string | undefined {
  return (args as { notificationGuid?: string }).notificationGuid?.toLowerCase();
}

/** The payload of a bulk field. Throws a failure that the payload would hide: the operation selects neither results nor their counts. */
function payloadOf<Payload>(
  reports: readonly WriteReport[],
  context: GatewayContext,
  info: GraphQLResolveInfo,
): BulkPayload<Payload> {
  (context.lists ??= new Map()).set(info.path.key, reports);
  const ended = (as: WriteOutcome) => reports.filter(({ outcome }) => outcome === as);
  const unknown = ended('UNKNOWN');
  const notApplied = ended('NOT_APPLIED');
  const hidden = [
    ...(isSelected(info, 'unknown') ? [] : unknown),
    ...(isSelected(info, 'notApplied') ? [] : notApplied),
  ];
  if (hidden[0] && !isSelected(info, 'results')) throw hidden[0].failure;
  // One bad row of many is not a failed request.
  if (reports.length > 0 && reports.every(({ errors }) => errors.length > 0)) {
    const errors = new Map(reports.flatMap((each) => each.errors.map((error) => [error.code, error])));
    errors.delete(ErrorCode.InternalServerError); // a GraphQL error, which is counted separately
    const outcome = unknown.length > 0 ? 'UNKNOWN' : 'NOT_APPLIED';
    context.failuresAsData.push({ outcome, errors: [...errors.values()] });
  }
  return {
    results: reports.map(({ value }) => value as Error | Payload),
    applied: ended('APPLIED').length,
    notApplied: notApplied.length,
    unknown: unknown.length,
  };
}
