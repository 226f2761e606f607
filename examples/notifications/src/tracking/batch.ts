/** The list that is being tracked. It outlives the page that shows it, and its copy in the session storage a reload. */
import type { NextStep } from 'shipment-graphql-client';
import { createBatch } from 'shipment-graphql-client/batch';
import { createList } from 'shipment-graphql-client/list';
import { client } from '../apollo';
import type { TrackingSubjectFragment as TrackingSubject, TrackShipmentInput } from '../generated/graphql';
import { factsOf, learn, type Facts } from './facts';
import { TrackShipments } from './operations';
import { problemsOf, sentCells, toRow, type Row } from './rows';
import { digestOf, forget, forgetOld, remember, sentWith } from './sent';

export interface PastedRow {
  /** In the sheet. */
  number: number;
  input: TrackShipmentInput;
}

export const batch = createBatch({
  list: createList<{ input: TrackShipmentInput }>({ name: 'tracking', storage: sessionStorage }),
  field: 'trackShipments',
  send: (items, { dryRun }) =>
    client.mutate({
      mutation: TrackShipments,
      variables: { items, dryRun },
      fetchPolicy: 'no-cache',
      errorPolicy: 'all',
    }),
});

export type TrackingItem = ReturnType<typeof batch.getSnapshot>['items'][number];

const itemsNow = () => batch.getSnapshot().items;

const learnOf = (changes: readonly (readonly [key: string, facts: Facts])[]) =>
  learn(
    changes,
    itemsNow().map(({ key }) => key),
  );

/** Starts a list, and checks it. */
export async function start(rows: readonly PastedRow[]): Promise<void> {
  batch.start(rows.map(({ input }) => ({ input })));
  learnOf(itemsNow().map(({ key }, index) => [key, { number: rows[index]?.number ?? index + 1 }]));
  batch.edit(askedBack);
  await batch.check();
  await leaveOutSent();
}

/** Corrects a row, or gets it ready to be sent once more: it stays where it is in the sheet. */
export function replace(index: number, input: TrackShipmentInput, facts: Facts = {}): void {
  const { number } = factsOf(itemsNow()[index]?.key ?? '');
  batch.replace(index, { input });
  const { key = '' } = itemsNow()[index] ?? {};
  learnOf([[key, { ...(number && { number }), ...facts }]]);
  batch.edit((item) => (item.key === key ? askedBack(item) : item));
}

/** Sends what is ready, unless the last look shows that some of it was sent meanwhile: then the list says so instead. */
export async function send(): Promise<void> {
  await batch.check();
  if (await leaveOutSent()) return;
  await remembered(() => batch.send({ onInvalidItem: 'SEND_OTHERS' }));
}

/** Goes on with a list that was interrupted. */
export const goOn = () => remembered(batch.repeat);

/** A person wants these sent, though they were sent before. */
export function sendThoughSent(items: readonly TrackingItem[]): void {
  const keys = new Set(items.map(({ key }) => key));
  learnOf(items.map(({ key }) => [key, { isWanted: true }]));
  batch.edit((item) => (keys.has(item.key) ? { ...item, nextStep: 'SEND' } : item));
}

/** Whether the same row was sent before, and waits for a person to decide. */
export const isSentBefore = ({ outcome, nextStep }: TrackingItem) =>
  outcome === 'NOT_APPLIED' && nextStep === 'DECIDE';

/** What is sent for a row, as far as the gateway has said it. */
export const sentCellsOf = ({ payload }: TrackingItem): Partial<Row> =>
  sentCells(payload as TrackingSubject | undefined);

const digestOfItem = (item: TrackingItem) => digestOf({ ...toRow(item.item.input), ...sentCellsOf(item) });

/** Takes out what was sent from this device within a day, and tells whether there was any. */
async function leaveOutSent(): Promise<boolean> {
  forgetOld();
  const ready = itemsNow().filter(({ key, nextStep }) => nextStep === 'SEND' && !factsOf(key).isWanted);
  const found = new Map<string, number>();
  for (const item of ready) {
    const sent = sentWith(await digestOfItem(item));
    if (sent && sent.key !== item.key) found.set(item.key, sent.at);
  }
  if (found.size === 0) return false;
  learnOf([...found].map(([key, sentBefore]) => [key, { sentBefore }]));
  batch.edit((item) => (found.has(item.key) ? { ...item, phase: 'CHECKED', nextStep: 'DECIDE' } : item));
  return true;
}

/** Steps of rows that neither `send` nor `goOn` sends. */
const KEPT_BACK: readonly NextStep[] = ['NONE', 'CORRECT', 'DECIDE'];

/** Remembers rows from before they are sent, and forgets those that were not. */
async function remembered(run: () => Promise<void>): Promise<void> {
  const digests = new Map<string, string>();
  for (const item of itemsNow())
    if (!KEPT_BACK.includes(item.nextStep)) digests.set(item.key, await digestOfItem(item));
  for (const [key, digest] of digests) remember(digest, key);
  await run();
  for (const { key, outcome } of itemsNow()) {
    const digest = digests.get(key);
    if (digest && outcome === 'NOT_APPLIED' && !factsOf(key).sentBefore) forget(digest, key);
  }
}

/** A row with what a person has to say before the gateway can check it. */
function askedBack(item: TrackingItem): TrackingItem {
  const errors = problemsOf(toRow(item.item.input));
  if (errors.length === 0 || item.outcome !== 'NOT_APPLIED') return item;
  return { ...item, phase: 'CHECKED', nextStep: 'CORRECT', errors };
}
