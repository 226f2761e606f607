/**
 * Derives a bulk field from a single mutation field: each item takes its arguments, and each result is its payload. Token, rules, write
 * and read-back come from its entry.
 */
import { setImmediate as tickEnd } from 'node:timers/promises';
import type { GraphQLResolveInfo } from 'graphql';
import type { z } from 'zod';
import { canonicalJson } from '../domain/json.js';
import { parseIdempotencyKey } from '../domain/parameters.js';
import { ErrorCode, InputRule } from '../errors.js';
import { GatewayError, type ArgumentPath, type InputError } from '../gatewayError.js';
import type { FieldSettings, GatewayContext } from './context.js';
import { createReporter, type WriteReport } from './writeFailures.js';
import { toInputErrors, type Immutable, type MutationField, type WriteArguments } from './field.js';
import { elementInfos, isSelected, type FieldEntry } from './selections.js';
import { tokenProblem } from '../freight/restCall.js';
import { sendItems } from '../freight/items.js';
import type { BulkPayload, WritePayload } from '../freight/write.js';

interface BulkArguments<Item> {
  readonly items: readonly Omit<Item, 'dryRun'>[];
  readonly onInvalidItem: 'SEND_NOTHING' | 'SEND_OTHERS';
  readonly dryRun: boolean;
}

export interface BulkField<Item, Result> extends FieldEntry {
  resolve(
    parent: unknown,
    args: BulkArguments<Item>,
    context: GatewayContext,
    info: GraphQLResolveInfo,
  ): Promise<BulkPayload<WritePayload<Result>>>;
}

/** The bulk fields of mutation fields, each named with the plural of its field. */
export function bulkFieldsOf<Fields extends Readonly<Record<string, MutationField<WriteArguments, unknown>>>>(
  fields: Fields,
) {
  const bulkFields = Object.entries(fields).map(
    ([name, single]) => [`${name}s`, bulkOf(name, single)] as const,
  );
  return Object.fromEntries(bulkFields) as {
    readonly [Name in keyof Fields & string as `${Name}s`]: Fields[Name] extends MutationField<
      infer Schema,
      infer Result
    >
      ? BulkField<Immutable<z.input<Schema>>, Result>
      : never;
  };
}

/** An item of the list, from its check to its report. */
interface Row<Args> {
  /** Its arguments as the client sent them. */
  readonly given: object;
  /** Its path within the arguments of the bulk field. */
  readonly path: ArgumentPath;
  /** What is sent; undefined if it is invalid, or was not checked. */
  readonly args?: Args;
  /** Why it is not sent. */
  problem?: GatewayError;
  readBytes?: number;
  report?: WriteReport;
}

/** The bulk field of a single mutation field. Metrics and idempotency keys name its items after the single field, `field`. */
function bulkOf<Schema extends WriteArguments, Result>(
  field: string,
  single: MutationField<Schema, Result>,
): BulkField<Immutable<z.input<Schema>>, Result> {
  type ItemRow = Row<z.output<Schema>>;
  type SentRow = ItemRow & { readonly args: z.output<Schema> };
  const isSent = (row: ItemRow): row is SentRow => row.problem === undefined;
  /** Returns a function that makes rows of items. Checks them unless none is to be sent, also for duplicates among them. */
  const createRows = (dryRun: boolean, settings: FieldSettings, unsent?: GatewayError) => {
    const findDuplicate = createDuplicateFinder();
    let violationCount = 0;
    return (item: object, index: number): ItemRow => {
      const given = { ...item, dryRun };
      const path: ArgumentPath = ['items', index];
      const problem = violationCount < MAX_VIOLATIONS ? unsent : new GatewayError('itemUnchecked');
      if (problem) return { given, path, problem };
      const { data: args, error } = single.parse(given, settings);
      const found = [...toInputErrors(error?.issues ?? []), ...findDuplicate(given, args, index)];
      if (args && found.length === 0) return { given, path, args };
      violationCount += found.length;
      const violations = found.map((each) => ({ ...each, path: [...path, ...each.path] }));
      return { given, path, problem: new GatewayError('inputInvalid', { violations }) };
    };
  };

  return {
    operation: single.operation,
    failsByElement: true,
    reads: () => [],
    restCalls: () => 0,
    items: ({ items }) => (Array.isArray(items) ? items.length : Number(items != null)),
    validate: ({ items = [] }: { items?: readonly object[] }, settings) =>
      items.map(createRows(false, settings)).flatMap(({ problem }) => problem?.violations ?? []),

    async resolve(_parent, { items, onInvalidItem, dryRun }, context, info) {
      const { client, settings, bulk } = context;
      const tokenError = tokenProblem(client, single.operation.token);
      const rows = await mapOverTicks(items, createRows(dryRun, settings, tokenError));
      if (onInvalidItem === 'SEND_NOTHING' && rows.some(({ problem }) => problem)) {
        const otherItemInvalid = new GatewayError('otherItemInvalid');
        for (const row of rows) row.problem ??= otherItemInvalid;
      }
      const infos = elementInfos(info, 'results');
      const { applied, failed } = createReporter(field, single, context, infos);
      const fail = (row: ItemRow, error: unknown) => {
        row.report = failed(error, row.given, row.readBytes);
      };
      await mapOverTicks(rows, (row) => row.problem && fail(row, row.problem));
      context.bulkDeadline ??= performance.now() + bulk.timeoutMs;
      await sendItems(rows.filter(isSent), {
        ...bulk,
        failed: fail,
        applied(row, payload) {
          row.report = applied(payload, row.readBytes);
        },
        cancellation: client.cancellation,
        deadline: context.bulkDeadline,
        isTokenShared: single.operation.token === 'required',
        resourceOf: ({ args }) => guidIn(args),
        async send(row) {
          const { given, path, args } = row;
          // Responses to the calls of an item are not kept until the list ends, so their size counts for the item alone.
          const memory = client.memory.forCall();
          const itemContext = { ...context, client: { ...client, isOfList: true, memory } };
          const key = args.idempotencyKey ?? undefined;
          const sent = single.send(args, itemContext, { field, key, given, path });
          return sent.finally(() => {
            row.readBytes = memory.largest;
            memory.release();
          });
        },
      });
      const reports = rows.map(({ report }) => report as WriteReport);
      return payloadOf(reports, context, info);
    },
  };
}

/**
 * Maximum violations to report for a list, because describing them takes CPU time: items after the last one are neither checked nor
 * sent.
 */
export const MAX_VIOLATIONS = 1000;

/** Items to check, report or complete per tick of the event loop: 500 would delay other requests by some 35 ms (Node.js 26). */
const ITEMS_PER_TICK = 20;

async function mapOverTicks<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += ITEMS_PER_TICK) {
    if (start > 0) await tickEnd();
    const chunk = items.slice(start, start + ITEMS_PER_TICK);
    results.push(...chunk.map((item, position) => map(item, start + position)));
  }
  return results;
}

/** Makes execution complete the results of a long list over several ticks, too. */
function settleOverTicks<Result>(results: readonly Result[]): readonly (Result | Promise<Result>)[] {
  let tick = Promise.resolve();
  return results.map((result, index) => {
    if (index < ITEMS_PER_TICK) return result;
    if (index % ITEMS_PER_TICK === 0) tick = tick.then(() => tickEnd());
    return tick.then(() => result);
  });
}

/** Finds items with the key of an earlier one, and items that are the same as an earlier one but for their key: a row pasted twice. */
function createDuplicateFinder() {
  const keys = new Map<string, number>();
  const writes = new Map<string, number>();
  return (given: object, args: object | undefined, index: number): InputError[] => {
    const { idempotencyKey } = given as { idempotencyKey?: string | null };
    const key = idempotencyKey == null ? undefined : parseIdempotencyKey(idempotencyKey);
    const write =
      args && canonicalJson({ ...args, notificationGuid: guidIn(args), idempotencyKey: undefined });
    const findIn = (earlier: Map<string, number>, text: string | undefined) => {
      const first = text === undefined ? undefined : earlier.get(text);
      if (text !== undefined && first === undefined) earlier.set(text, index);
      return first;
    };
    const duplicates = [
      [findIn(keys, key), ['idempotencyKey'], 'a unique idempotency key'],
      [findIn(writes, write), [], 'distinct items'],
    ] as const;
    return duplicates.flatMap(([first, path, expected]) => {
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
  const { telemetry, failuresAsData } = context;
  const applied = reports.filter(({ outcome }) => outcome === 'APPLIED');
  const notApplied = reports.filter(({ outcome }) => outcome === 'NOT_APPLIED');
  const unknown = reports.filter(({ outcome }) => outcome === 'UNKNOWN');
  const failed = reports.filter(({ errors }) => errors.length > 0);
  const codes = new Map(failed.flatMap(({ errors }) => errors.map((error) => [error.code, error] as const)));
  const none = { total: 0, applied: 0, notApplied: 0, unknown: 0, failed: 0, errorCodes: [] };
  const { items = none } = telemetry.operation;
  telemetry.operation.items = {
    total: items.total + reports.length,
    applied: items.applied + applied.length,
    notApplied: items.notApplied + notApplied.length,
    unknown: items.unknown + unknown.length,
    failed: items.failed + failed.length,
    errorCodes: [...new Set([...items.errorCodes, ...codes.keys()])],
  };
  const hasResults = isSelected(info, 'results');
  if (hasResults) (context.bulkFields ??= new Set()).add(info.path.key);
  if (!hasResults) {
    const hidden = [
      ...(isSelected(info, 'unknown') ? [] : unknown),
      ...(isSelected(info, 'notApplied') ? [] : notApplied),
    ];
    if (hidden[0]) throw hidden[0].failure;
  }
  // One bad row of many is not a failed request. Among the results, a bug is a GraphQL error, which is counted separately.
  if (failed.length > 0 && failed.length === reports.length)
    failuresAsData.push({
      outcome: unknown.length > 0 ? 'UNKNOWN' : 'NOT_APPLIED',
      errors: [...codes.values()].filter(
        ({ code }) => !(hasResults && code === ErrorCode.InternalServerError),
      ),
    });
  return {
    results: settleOverTicks(reports.map(({ value }) => value as Error | Payload)),
    applied: applied.length,
    notApplied: notApplied.length,
    unknown: unknown.length,
  };
}
