/** Many writes with a bulk field: a list whose items keep their keys, their outcomes and their next steps. */
import { createIdempotencyKey, keyOfAttempt, type KeyOptions } from './intent.js';
import { resultOf, type WriteResult } from './result.js';
import { waitMs, waitOnline, type RetryOptions } from './retryDelay.js';
import { read } from './source.js';

/** An item, and what became of it. Its errors have an `inputPath` that starts within the item. */
export interface BatchItem<Item> extends WriteResult {
  readonly item: Item;
  /** Its idempotency key, the same for every attempt. */
  readonly key: string;
  /** Whether it is being checked or sent: its result is that of before, or `UNKNOWN`. */
  readonly isPending: boolean;
}

export interface BatchSnapshot<Item> {
  /** In the order of the list. What has not changed is the same object as before. */
  readonly items: readonly BatchItem<Item>[];
  /** Whether a check or a send is going on, waits between attempts included. */
  readonly isRunning: boolean;
}

export interface BatchOptions<Item> extends RetryOptions, KeyOptions {
  /** Response key of the bulk field, such as `trackShipments`. */
  field: string;
  /** The list. Without it, the one in `storage` goes on: what was being sent is `UNKNOWN`, and `REPEAT` its next step. */
  items?: readonly Item[];
  /**
   * Sends the bulk mutation, with `results { outcome evidence errors { code message retryable retryAfterSeconds requestId inputPath … } }`.
   * Resolves with what `resultOf` takes, or rejects. It has to end: with the retry link or exchange it does, with `fetch` it needs
   * `AbortSignal.timeout(30_000)`.
   */
  send: (items: (Item & { idempotencyKey: string })[], options: { dryRun: boolean }) => Promise<unknown>;
  /** Items of an operation. @default 50: people see the first outcomes early */
  size?: number;
  /** Operations at a time. @default 2 */
  concurrency?: number;
  /** Attempts in a row after which the run ends if each item is still to `REPEAT`. @default 4 */
  maxAttempts?: number;
  /** Longest wait in milliseconds. @default 60000 */
  maxWaitMs?: number;
  /** Keeps list, keys and outcomes from before the first request on: `sessionStorage`, or `localStorage`, which outlives the tab. */
  storage?: Pick<Storage, 'getItem' | 'setItem'>;
  /** Name of the list in `storage`. @default the field */
  name?: string;
  /** Resolves after the milliseconds, and once the browser is online. @default a timer, and the event `online`, for at most 30 seconds */
  wait?: (delayMs: number) => Promise<void>;
}

/** A store that fits React's `useSyncExternalStore(batch.subscribe, batch.getSnapshot)`. Nothing rejects, except if `storage` is full. */
export interface Batch<Item> {
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => BatchSnapshot<Item>;
  /** Checks what was not checked or sent yet, without sending it: afterwards each item is `SEND` or `CORRECT`, or says what keeps it. */
  readonly check: () => Promise<void>;
  /**
   * Sends what is to `SEND`, after it has been checked. If an item is invalid, nothing is sent, unless `onInvalidItem` is `SEND_OTHERS`. It
   * starts no further operation while a response is missing, or once the token was rejected.
   */
  readonly send: (options?: { onInvalidItem?: 'SEND_NOTHING' | 'SEND_OTHERS' }) => Promise<void>;
  /** Goes on: what is to `REPEAT` or to `SIGN_IN`, with the same keys, and what a `send()` that was cut short did not get to. */
  readonly repeat: () => Promise<void>;
  /** Replaces an item that is not pending by a corrected one with a new key, or by itself, to send it again after `DECIDE`. */
  readonly replace: (index: number, item: Item) => void;
}

interface Row<Item> extends BatchItem<Item> {
  /** Queued: part of a `send()`, which may have been cut short. */
  readonly phase: 'NEW' | 'CHECKED' | 'QUEUED';
  /** When it was first sent, in milliseconds since the epoch. */
  readonly sentAt?: number;
}

const UNSENT = { outcome: 'NOT_APPLIED', evidence: 'NOT_SENT', errors: [], nextStep: 'SEND' } as const;
/** While it is being sent, and after a reload in the middle of that. */
const SENT = { outcome: 'UNKNOWN', evidence: undefined, errors: [], nextStep: 'REPEAT' } as const;
/** Items of a check: the most that the gateway takes by default (`MAX_BULK_ITEMS`). */
const CHECK_SIZE = 500;

/** Sends a list in parts, repeats what may be repeated, and survives a reload. */
export function createBatch<Item extends object>(options: BatchOptions<Item>): Batch<Item> {
  const { field, items, send, size = 50, concurrency = 2, maxAttempts = 4 } = options;
  const { storage, name = field, wait = waitOnline } = options;
  const storageKey = `shipment-graphql-client:${name}`;
  const listeners = new Set<() => void>();
  let rows: readonly Row<Item>[] = items?.map(newRow) ?? restore(storage?.getItem(storageKey));
  let running: Promise<void> | undefined;
  let snapshot: BatchSnapshot<Item> = { items: rows, isRunning: false };

  const publish = () => {
    snapshot = { items: rows, isRunning: !!running };
    for (const listener of listeners) listener();
  };
  const save = () => storage?.setItem(storageKey, JSON.stringify(rows));
  /** Changes the rows with these indexes. */
  const update = (
    indexes: readonly number[],
    changesOf: (position: number, row: Row<Item>) => Partial<Row<Item>>,
  ) => {
    rows = rows.map((row, index) => {
      const position = indexes.indexOf(index);
      return position < 0 ? row : { ...row, ...changesOf(position, row) };
    });
    try {
      save();
    } catch {
      // The storage has the keys since the run began: going on from an earlier state writes nothing twice.
    }
    publish();
  };
  const find = (matches: (row: Row<Item>) => boolean) =>
    rows.flatMap((row, index) => (matches(row) ? index : []));
  const at = (indexes: readonly number[]) => indexes.flatMap((index) => rows[index] ?? []);

  /** One at a time: a second click is the same intent. */
  const run = (task: () => Promise<void>) =>
    (running ??= Promise.resolve()
      .then(save) // the keys, before anything is sent
      .then(task)
      .finally(() => {
        running = undefined;
        publish();
      }));

  /** What an operation may have: items, and characters of JSON. Unlimited until the gateway, or a proxy, rejects one as too large. */
  const limits = { items: Infinity, length: Infinity };
  /** Items of the next operation after a single item was too large, which is no reason to send the others one by one. */
  let afterOutlier = Infinity;
  const lengthOf = (index: number) => JSON.stringify(rows[index]?.item).length;
  /** Removes the first items, at least one, as far as they fit. */
  const takePart = (rest: number[], maxItems: number) => {
    let length = 0;
    const end = rest.findIndex((index, position) => {
      length += lengthOf(index);
      return position > 0 && (position >= Math.min(maxItems, limits.items) || length > limits.length);
    });
    return rest.splice(0, end < 0 ? rest.length : end);
  };
  /** The limit that a part exceeded which was rejected as a whole: nothing of it was sent. */
  const exceededLimit = (part: readonly number[], source: unknown) => {
    const isRejectedWith = (code: string) =>
      part.every((_index, position) => {
        const { outcome, errors } = resultOf(source, field, position);
        return outcome === 'NOT_APPLIED' && errors.some((error) => error.code === code);
      });
    if (isRejectedWith('QUERY_TOO_COMPLEX')) return 'items';
    // The gateway's body of a 413 has no other code.
    return read(source).response?.status === 413 || isRejectedWith('BAD_REQUEST') ? 'length' : undefined;
  };

  /** Sends these items in parts, until all have been sent, a response stays away, or the token is rejected. */
  const sendAll = async (indexes: readonly number[], dryRun: boolean) => {
    let queue = indexes;
    for (let attempt = 1; queue.length > 0; attempt += 1) {
      const rest = [...queue];
      let isHalted = false;
      const work = async () => {
        while (rest.length > 0 && !isHalted) {
          // Unless it was replaced meanwhile.
          const part = takePart(rest, dryRun ? CHECK_SIZE : size).filter(
            (index) => dryRun || at([index])[0]?.phase === 'QUEUED',
          );
          if (part.length === 0) continue;
          const before = at(part);
          update(part, (_position, { sentAt = Date.now() }) => ({
            isPending: true,
            ...(!dryRun && { ...SENT, sentAt }),
          }));
          const given = at(part).map(({ item, key, sentAt = Date.now() }) => ({
            ...item,
            idempotencyKey: keyOfAttempt(key, sentAt, options),
          }));
          const source = await (async () => send(given, { dryRun }))().catch((error: unknown) => error);
          const exceeded = exceededLimit(part, source);
          const revert = (changes: Partial<Row<Item>> = {}) =>
            update(part, (position) => ({ ...before[position], isPending: false, ...changes }));
          if (exceeded && part.length > 1) {
            const size = {
              items: part.length,
              length: part.reduce((sum, index) => sum + lengthOf(index), 0),
            };
            limits[exceeded] = Math.min(limits[exceeded], size[exceeded] / 2);
            rest.unshift(...part);
            revert();
            continue;
          }
          if (exceeded && !read(source).errors) {
            revert({ nextStep: 'REPORT' }); // a proxy says 413 without a GraphQL response
            continue;
          }
          if (!exceeded) afterOutlier = Math.max(afterOutlier, part.length);
          else if (exceeded === 'items') [limits.items, afterOutlier] = [afterOutlier, 1];
          update(part, (position) => {
            const result = resultOf(source, field, position);
            return { isPending: false, ...(dryRun ? checked(result) : result) };
          });
          isHalted ||= !read(source).errors || at(part).some(({ nextStep }) => nextStep === 'SIGN_IN');
        }
      };
      await Promise.all(Array.from({ length: dryRun ? 1 : concurrency }, work));

      const sent = queue.filter((index) => !rest.includes(index));
      const failed = sent.filter((index) => at([index])[0]?.nextStep === 'REPEAT');
      if (failed.length < sent.length) attempt = 1; // there is progress
      const seconds = at(failed).flatMap(({ errors }) => errors.map((error) => error.retryAfterSeconds));
      const delayMs = waitMs(attempt, seconds, { maxWaitMs: 60_000, ...options });
      if (failed.length === 0 || attempt >= maxAttempts || delayMs === undefined) return;
      await wait(delayMs);
      queue = [...failed, ...rest];
    }
  };

  const check = (matches: (row: Row<Item>) => boolean) =>
    sendAll(
      find((row) => row.phase === 'NEW' && matches(row)),
      true,
    );
  const isRepeated = ({ nextStep }: Row<Item>) => nextStep === 'REPEAT' || nextStep === 'SIGN_IN';
  const isToSend = ({ phase, nextStep }: Row<Item>) => phase !== 'NEW' && nextStep === 'SEND';

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getSnapshot: () => snapshot,
    check: () => run(() => check(() => true)),
    send: ({ onInvalidItem } = {}) =>
      run(async () => {
        await check((row) => row.nextStep === 'SEND');
        const isInvalid = rows.some((row) => row.phase === 'CHECKED' && row.nextStep === 'CORRECT');
        if (isInvalid && onInvalidItem !== 'SEND_OTHERS') return;
        const due = find(isToSend);
        update(due, () => ({ phase: 'QUEUED' }));
        await sendAll(due, false);
      }),
    repeat: () =>
      run(async () => {
        await check(isRepeated);
        const isDue = (row: Row<Item>) => row.phase === 'QUEUED' && (isRepeated(row) || isToSend(row));
        await sendAll(find(isDue), false);
      }),
    replace(index, item) {
      if (!at([index])[0]?.isPending) update([index], () => newRow(item));
    },
  };
}

function newRow<Item>(item: Item): Row<Item> {
  return { item, key: createIdempotencyKey(), ...UNSENT, isPending: false, phase: 'NEW' };
}

/** What a dry run says of an item. Nothing was sent, whatever became of the dry run. */
function checked({ errors, nextStep }: WriteResult): Partial<Row<never>> {
  const isChecked = nextStep === 'SEND' || nextStep === 'CORRECT';
  return {
    ...UNSENT,
    errors: nextStep === 'SEND' ? [] : errors,
    nextStep: nextStep === 'DECIDE' ? 'REPORT' : nextStep,
    ...(isChecked && { phase: 'CHECKED' }),
  };
}

function restore<Item>(text: string | null | undefined): Row<Item>[] {
  try {
    return (JSON.parse(text ?? '[]') as Row<Item>[]).map((row) => ({ ...row, isPending: false }));
  } catch {
    return [];
  }
}
