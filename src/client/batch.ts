/** Sends the items of a list with a bulk field: in parts, with the same keys at each attempt, until their outcomes are known. */
import { canonicalJson, keyOfAttempt, settles, UNDER_WAY } from './intent.js';
import { UNSENT, type List, type ListItem } from './list.js';
import { resultOf, type NextStep, type WriteResult } from './result.js';
import { waitMs, waitOnline, type RetryOptions } from './retryDelay.js';
import { isNetworkFailure, objectOf, read } from './source.js';

export interface BatchOptions<Item> extends RetryOptions {
  /** The list, from `createList`. */
  list: List<Item>;
  /** Response key of the bulk field, such as `trackShipments`. */
  field: string;
  /**
   * Sends the bulk mutation, with `results { outcome evidence errors { code message retryable retryAfterSeconds requestId inputPath … } }`,
   * and with what the gateway makes of each item, such as `driverPhoneNumber`: by that, items in different notations are found to be equal.
   * Resolves with a source for `resultOf`, or rejects: an error that is not a failure of the network makes the run reject, too. It has to
   * end: with the retry link or exchange it does, with `fetch` it needs `AbortSignal.timeout(REQUEST_TIMEOUT_MS)`.
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
  /** Resolves after the milliseconds, and once the browser is online. @default a timer, and the event `online`, for at most 30 seconds */
  wait?: (delayMs: number) => Promise<void>;
}

/**
 * A list with what sends it. One run goes on at a time: a second click is the same intent. A run rejects if the storage is full, and with what
 * `send` of its options threw if that is not a failure of the network.
 */
export interface Batch<Item> extends List<Item> {
  /** Checks what was not checked or sent yet, without sending it: afterwards each item is `SEND` or `CORRECT`, or says what keeps it. */
  readonly check: () => Promise<void>;
  /**
   * Sends what is to `SEND`, after it has been checked. If an item is invalid, nothing is sent, unless `onInvalidItem` is `SEND_OTHERS`. It
   * starts no further operation while a response is missing, or once the token was rejected.
   */
  readonly send: (options?: { onInvalidItem?: 'SEND_NOTHING' | 'SEND_OTHERS' }) => Promise<void>;
  /** Goes on: what is to `REPEAT`, to `SIGN_IN` or to `REQUEST_ACCESS`, with the same keys, and what a `send()` that was cut short did not get to. */
  readonly repeat: () => Promise<void>;
  /** Ends the run: no further operation starts, and no wait goes on. What is in flight ends by itself, and its outcomes are kept. */
  readonly cancel: () => void;
}

/** Items of a check: the most that the gateway takes. */
const CHECK_SIZE = 500;
/** Errors of operations that are too large; the gateway's body of a 413 has the second. One of a proxy has none. */
const TOO_LARGE: readonly string[] = ['QUERY_TOO_COMPLEX', 'BAD_REQUEST'];

/** Sends a list in parts, and repeats what may be repeated. */
export function createBatch<Item extends object>(options: BatchOptions<Item>): Batch<Item> {
  const { list, field, send, size = 50, concurrency = 2, maxAttempts = 4, wait = waitOnline } = options;
  const { edit, getSnapshot } = list;
  let running: Promise<void> | undefined;
  let isCancelled = false;
  let endWait = (): void => undefined;

  const itemsThat = (matches: (item: ListItem<Item>) => boolean) => getSnapshot().items.filter(matches);
  /** The items with these keys that still exist: others were removed or replaced meanwhile. */
  const at = (keys: readonly string[]) => {
    const wanted = new Set(keys);
    return itemsThat(({ key }) => wanted.has(key));
  };
  const update = (
    keys: readonly string[],
    changesOf: (position: number, item: ListItem<Item>) => Partial<ListItem<Item>>,
  ) =>
    edit((item) => {
      const position = keys.indexOf(item.key);
      return position < 0 ? item : { ...item, ...changesOf(position, item) };
    });
  const progress = (isRunning: boolean, retryAt?: number) => edit((item) => item, { isRunning, retryAt });

  const run = (task: () => Promise<void>) =>
    (running ??= Promise.resolve()
      .then(list.save) // the keys, before anything is sent
      .then(() => {
        isCancelled = false;
        progress(true);
      })
      .then(task)
      .finally(() => {
        running = undefined;
        progress(false);
      }));

  /** Sends these items in parts, until all have been sent, a response stays away, or the token is rejected. */
  const sendAll = async (due: readonly ListItem<Item>[], dryRun: boolean) => {
    const cancelled = new Promise<void>((resolve) => (endWait = resolve));
    let queue = due.map(keyOf);
    for (let attempt = 1; queue.length > 0; attempt += 1) {
      const parts = partsOf(queue, dryRun ? CHECK_SIZE : size);
      const bugs: unknown[] = [];
      let isHalted = false;
      const work = async () => {
        while (parts.length > 0 && !isHalted && !isCancelled) {
          const rows = at(parts.shift() ?? []);
          if (rows.length === 0) continue;
          const part = rows.map(keyOf);
          const now = Date.now();
          update(part, (_position, { sentAt = now }) => ({
            isPending: true,
            ...(!dryRun && { ...UNDER_WAY, sentAt }),
          }));
          const given = rows.map(({ item, key, sentAt = now }) => ({
            ...item,
            idempotencyKey: keyOfAttempt(key, sentAt),
          }));
          const source = await (async () => send(given, { dryRun }))().catch((error: unknown) => {
            const { errors, cause } = read(error);
            if (!errors && !isNetworkFailure(cause)) bugs.push(error);
            return error;
          });
          const { outcome, errors } = resultOf(source, field);
          const isTooLarge =
            outcome === 'NOT_APPLIED' && errors.every(({ code }) => TOO_LARGE.includes(code));
          const isSplit = isTooLarge && part.length > 1;
          if (isSplit) parts.unshift(...partsOf(part, Math.ceil(part.length / 2)));
          const payloads = objectOf(objectOf(read(source).data[field])['results']);
          update(part, (position) => {
            // Its cause may not be JSON.
            const result = { ...resultOf(source, field, { index: position, dryRun }), cause: undefined };
            const { outcome: before = 'NOT_APPLIED' } = rows[position] ?? {};
            const ended = dryRun
              ? checked(result)
              : settles(result, before)
                ? result
                : { ...result, outcome: before };
            const payload = payloads[position];
            return {
              ...(isSplit ? rows[position] : ended),
              ...(payload != null && { payload: objectOf(payload) }),
              isPending: false,
            };
          });
          isHalted ||=
            (outcome === 'UNKNOWN' && !read(source).errors) ||
            at(part).some(({ nextStep }) => nextStep === 'SIGN_IN');
        }
      };
      await Promise.all(Array.from({ length: dryRun ? 1 : concurrency }, work));
      if (bugs.length > 0) throw bugs[0];

      const rest = parts.flat();
      const sent = at(queue.filter((key) => !rest.includes(key)));
      const failed = sent.filter(({ nextStep }) => nextStep === 'REPEAT');
      if (failed.length < sent.length) attempt = 1; // there is progress
      const seconds = failed.flatMap(({ errors }) => errors.map((error) => error.retryAfterSeconds));
      const delayMs = waitMs(attempt, seconds, { maxWaitMs: 60_000, ...options });
      if (failed.length === 0 || attempt >= maxAttempts || delayMs === undefined || isCancelled) return;
      progress(true, Date.now() + delayMs);
      await Promise.race([wait(delayMs), cancelled]);
      progress(true);
      queue = [...failed.map(keyOf), ...rest];
    }
  };

  /** Marks what is the same as another item of the whole list: the gateway compares items of one operation only. What was sent comes first. */
  const markCopies = () => {
    const { items } = getSnapshot();
    // Of items that were pasted twice, only the first is checked.
    const known = new Map(
      items.flatMap(({ item, payload }) => (payload ? [[canonicalJson(item), payload]] : [])),
    );
    const identities = items.map(({ item, payload = known.get(canonicalJson(item)) }) =>
      identityOf(item, payload),
    );
    const firsts = new Map<string, number>();
    for (const isSent of [true, false])
      for (const [index, identity] of identities.entries())
        if ((items[index]?.phase === 'QUEUED') === isSent && !firsts.has(identity))
          firsts.set(identity, index);
    edit((row, index) => {
      const first = firsts.get(identities[index] ?? '') ?? index;
      const isCopy = first !== index;
      if (row.phase === 'QUEUED' || (!isCopy && (row.phase === 'CHECKED' || !isInvalid(row)))) return row;
      return { ...row, ...UNSENT, phase: 'NEW', ...(isCopy && copyOf(first)) };
    });
  };

  /** Checks what is new, and the whole list again with what the gateway has made of it. */
  const check = async (matches: (item: ListItem<Item>) => boolean) => {
    markCopies();
    let due = itemsThat((item) => item.phase === 'NEW' && !isInvalid(item) && matches(item));
    for (let previous = Infinity; due.length > 0 && due.length < previous;) {
      previous = due.length;
      await sendAll(due, true);
      due = isCancelled ? [] : at(due.map(keyOf)).filter(isLeftOut);
    }
    markCopies();
  };
  const isToSend = ({ phase, nextStep }: ListItem<Item>) => phase !== 'NEW' && nextStep === 'SEND';

  return {
    ...list,
    check: () => run(() => check(() => true)),
    send: ({ onInvalidItem } = {}) =>
      run(async () => {
        await check(({ nextStep }) => nextStep === 'SEND');
        if (onInvalidItem !== 'SEND_OTHERS' && itemsThat(isInvalid).length > 0) return;
        edit((item) => (isToSend(item) ? { ...item, phase: 'QUEUED' } : item));
        await sendAll(itemsThat(isToSend), false);
      }),
    repeat: () =>
      run(async () => {
        await check(isRepeated);
        await sendAll(
          itemsThat((item) => item.phase === 'QUEUED' && (isRepeated(item) || isToSend(item))),
          false,
        );
      }),
    cancel() {
      isCancelled = true;
      endWait();
    },
  };
}

const keyOf = ({ key }: ListItem<unknown>) => key;

function partsOf(keys: readonly string[], size: number): string[][] {
  const count = Math.ceil(keys.length / size);
  return Array.from({ length: count }, (_, index) => keys.slice(index * size, (index + 1) * size));
}

/** Keeps an item from being sent that is the same as an earlier one, in the gateway's words for items of one operation. */
function copyOf(first: number): Partial<ListItem<never>> {
  const message = `expected distinct items, got the same as the item with index ${first}`;
  return {
    errors: [{ code: 'BAD_USER_INPUT', message, retryable: false, inputPath: [], rule: 'UNIQUE' }],
    nextStep: 'CORRECT',
  };
}

/** Equal for items that are the same in the texts that the gateway has returned of them. */
export function identityOf(item: object, payload: ListItem<object>['payload'] = {}): string {
  const returned = new Map<string, unknown>();
  JSON.stringify(payload, (name, value: unknown) => {
    returned.set(name, value);
    return Array.isArray(value) ? undefined : value; // an index is not a name
  });
  return canonicalJson(item, (name, value) => {
    const text = returned.get(name);
    return typeof value === 'string' && typeof text === 'string' ? text : value;
  });
}

/** Whether it was not sent because it is invalid. */
function isInvalid({ phase, nextStep }: ListItem<unknown>): boolean {
  return phase !== 'QUEUED' && nextStep === 'CORRECT';
}

/** Whether `repeat()` sends the item. One that is `UNKNOWN` and to `REPORT` has met a bug: a repeat has the same key. */
function isRepeated({ nextStep, outcome }: ListItem<unknown>): boolean {
  const steps: NextStep[] = ['REPEAT', 'SIGN_IN', 'REQUEST_ACCESS'];
  return steps.includes(nextStep) || (nextStep === 'REPORT' && outcome === 'UNKNOWN');
}

/** Whether the gateway has not checked it: it looks for a number of errors only, and a check without those that it has found goes on. */
function isLeftOut({ phase, errors }: ListItem<unknown>): boolean {
  return phase === 'NEW' && errors.some(({ code }) => code === 'QUERY_TOO_COMPLEX');
}

/** The result of a dry run for an item. Nothing was sent, whatever became of the dry run. */
function checked({ errors, nextStep }: WriteResult): Partial<ListItem<never>> {
  const isChecked = nextStep === 'SEND' || nextStep === 'CORRECT';
  return {
    ...UNSENT,
    errors: nextStep === 'SEND' ? [] : errors,
    nextStep: nextStep === 'DECIDE' ? 'REPORT' : nextStep,
    ...(isChecked && { phase: 'CHECKED' }),
  };
}
