/** A list of writes: its items with their keys and outcomes, kept in a storage. `batch.ts` sends them. */
import { canonicalJson, createIdempotencyKey } from './intent.js';
import { resultOf, type WriteResult } from './result.js';
import { objectOf, read, storedList } from './source.js';

/** An item, and what became of it. Its errors have an `inputPath` that starts within the item. */
export interface ListItem<Item> extends Omit<WriteResult, 'cause'> {
  readonly item: Item;
  /** Its idempotency key, the same for every attempt. */
  readonly key: string;
  /** Whether it is being checked or sent: its result is the previous one, or `UNKNOWN`. */
  readonly isPending: boolean;
  /** Queued: part of a `send()`, which may have been cut short. */
  readonly phase: 'NEW' | 'CHECKED' | 'QUEUED';
  /** When it was first sent, in milliseconds since the epoch. */
  readonly sentAt?: number;
  /**
   * The payload that the gateway last returned for it, as far as the operation selects it in `results`: a check, too, returns what is sent,
   * such as `driverPhoneNumber`. Items that are the same in these values are equal, whatever their notation.
   */
  readonly payload?: Readonly<Record<string, unknown>>;
}

export interface ListSnapshot<Item> {
  /** In the order of the list. What has not changed is the same object as before. */
  readonly items: readonly ListItem<Item>[];
  /** Whether a check or a send is going on, waits between attempts included. */
  readonly isRunning: boolean;
  /** While it waits between attempts: when the next one starts, in milliseconds since the epoch. */
  readonly retryAt: number | undefined;
}

export interface ListOptions {
  /** Names the list in `storage`: a page with the same name goes on with it. */
  name: string;
  /**
   * Keeps items, keys and outcomes from before the first request on: `sessionStorage`, or `localStorage`, which outlives the tab. The list
   * starts with what is in it: what was being sent is `UNKNOWN`, and its next step is `REPEAT`. Lists of one name in several tabs overwrite
   * no item of each other that is pending or `UNKNOWN`: it becomes an item of the others with their next change.
   */
  storage?: Pick<Storage, 'getItem' | 'setItem'>;
}

/** A store that fits React's `useSyncExternalStore(list.subscribe, list.getSnapshot)`. An item that is being sent is neither replaced nor removed. */
export interface List<Item> {
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => ListSnapshot<Item>;
  /**
   * Starts a list instead of the one before. Throws an {@link UnsettledItemsError} while items of that are pending or `UNKNOWN`. An item that
   * equals one of the list before keeps its key, and is not sent again if it was applied.
   */
  readonly start: (items: readonly Item[]) => void;
  /** Adds items at the end. */
  readonly add: (items: readonly Item[]) => void;
  /**
   * Replaces an item by a corrected one with a new key, or by itself, to send it again after `DECIDE`. Throws if the item was applied, unless
   * `evenIfApplied` is true.
   */
  readonly replace: (index: number, item: Item, options?: { evenIfApplied?: boolean }) => void;
  /** Removes an item, whatever became of it. */
  readonly remove: (index: number) => void;
  /** Removes all items, whatever became of them, even what is being sent. */
  readonly clear: () => void;
  /**
   * Settles what is `UNKNOWN` without sending it again.
   * @param source the response to `query ($keys: [ID!]!) { writeRecords(idempotencyKeys: $keys) { idempotencyKey outcome } }` with the keys of
   *   these items, at most 1,000. An item without a record stays as it is.
   */
  readonly settle: (source: unknown) => void;
  /** For `createBatch`: changes items, and what the snapshot says of the run. */
  readonly edit: (
    change: (item: ListItem<Item>, index: number) => ListItem<Item>,
    progress?: Partial<ListSnapshot<Item>>,
  ) => void;
  /** For `createBatch`: writes the list to `storage`, and throws if that is full. */
  readonly save: () => void;
}

/** A list cannot be started: what became of these items of the one before is not known yet. */
export class UnsettledItemsError<Item> extends Error {
  override readonly name = 'UnsettledItemsError';
  readonly items: readonly ListItem<Item>[];

  constructor(items: readonly ListItem<Item>[]) {
    super(`Expected a settled list, got ${items.length} pending or UNKNOWN items`);
    this.items = items;
  }
}

/** The result of an item that was never sent. */
export const UNSENT = { outcome: 'NOT_APPLIED', evidence: 'NOT_SENT', errors: [], nextStep: 'SEND' } as const;

/** Opens a list, with the items that are in the storage. */
export function createList<Item extends object>({ name, storage }: ListOptions): List<Item> {
  const storageKey = `shipment-graphql-client:${name}`;
  const listeners = new Set<() => void>();
  /** The text that this list has last read from the storage, or written to it. */
  let stored = storage?.getItem(storageKey);
  let rows = restore<Item>(stored);
  let snapshot: ListSnapshot<Item> = { items: rows, isRunning: false, retryAt: undefined };
  /** Keys of the items that this list has, or had: others in the storage are of other tabs. */
  const own = new Set(rows.map(({ key }) => key));

  const save = () => {
    const text = JSON.stringify(rows);
    storage?.setItem(storageKey, text);
    stored = text;
  };
  /** Takes over what another tab has sent: a change of this list overwrites nothing of that. Returns the rows of other tabs. */
  const sync = (): readonly ListItem<Item>[] => {
    const text = storage?.getItem(storageKey);
    if (text === stored) return [];
    stored = text;
    const all = restore<Item>(text);
    const sent = new Map(all.filter(({ sentAt }) => sentAt !== undefined).map((row) => [row.key, row]));
    const others = all.filter(({ key }) => !own.has(key));
    rows = [
      ...rows.map((row) => (row.sentAt === undefined && sent.get(row.key)) || row),
      ...others.filter(({ outcome }) => outcome === 'UNKNOWN'),
    ];
    for (const { key } of rows) own.add(key);
    return others;
  };
  const setRows = (next: readonly ListItem<Item>[], progress?: Partial<ListSnapshot<Item>>) => {
    rows = next;
    for (const { key } of rows) own.add(key);
    snapshot = { ...snapshot, ...progress, items: rows };
    try {
      save();
    } catch {
      // The storage has the keys since the run began: going on from an earlier state writes nothing twice.
    }
    for (const listener of listeners) listener();
  };
  /** Not if another tab has sent the item meanwhile: the user has not seen that. */
  const splice = (index: number, count: number, items: readonly Item[]) => {
    const before = rows[index];
    sync();
    const isSame = rows[index] === before && !before?.isPending;
    setRows(
      isSame
        ? [...rows.slice(0, index), ...items.map((item) => newItem(item)), ...rows.slice(index + count)]
        : rows,
    );
  };

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getSnapshot: () => snapshot,
    start(items) {
      // Another tab may have sent some meanwhile.
      const others = sync();
      const unsettled = rows.filter(({ isPending, outcome }) => isPending || outcome === 'UNKNOWN');
      if (unsettled.length > 0) {
        setRows(rows); // with those of another tab
        throw new UnsettledItemsError(unsettled);
      }
      setRows(itemsLike(items, [...others, ...rows]));
    },
    add(items) {
      const others = sync();
      setRows([...rows, ...itemsLike(items, others)]);
    },
    replace(index, item, { evenIfApplied } = {}) {
      if (rows[index]?.outcome === 'APPLIED' && !evenIfApplied)
        throw new Error('Expected an item that was not applied, or evenIfApplied: true');
      splice(index, 1, [item]);
    },
    remove: (index) => splice(index, 1, []),
    clear() {
      const seen = new Set(rows.map(({ key }) => key));
      sync();
      setRows(rows.filter(({ key }) => !seen.has(key))); // what another tab is sending stays
    },
    settle(source) {
      sync();
      const records = Array.from(Object(read(source).data['writeRecords']) as unknown[], objectOf);
      setRows(
        rows.map((row) => {
          const record = records.find(({ idempotencyKey }) => idempotencyKey === row.key);
          return record?.['outcome'] && row.outcome === 'UNKNOWN' && !row.isPending
            ? { ...row, ...resultOf({ data: { record } }, 'record') }
            : row;
        }),
      );
    },
    edit(change, progress) {
      sync();
      setRows(rows.map(change), progress);
    },
    save() {
      sync();
      save();
    },
  };
}

function newItem<Item>(item: Item, key: string = createIdempotencyKey()): ListItem<Item> {
  return { item, key, ...UNSENT, isPending: false, phase: 'NEW' };
}

/** New items, which have the keys of equal known ones; one that was applied stays what it is. */
function itemsLike<Item>(items: readonly Item[], known: readonly ListItem<Item>[]): ListItem<Item>[] {
  const before = new Map(known.map((row) => [canonicalJson(row.item), row]));
  return items.map((item) => {
    const text = canonicalJson(item);
    const row = before.get(text);
    before.delete(text); // a second equal item is a copy
    return row?.outcome === 'APPLIED' ? row : newItem(item, row?.key);
  });
}

function restore<Item>(text: string | null | undefined): readonly ListItem<Item>[] {
  return (storedList(text) as ListItem<Item>[]).map((row) => ({ ...row, isPending: false }));
}
