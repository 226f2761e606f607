/** Lists that were sent before, and rows as a file. */
import type { NextStep } from 'shipment-graphql-client';
import type { TrackingItem } from './batch';
import { toRow } from './rows';
import { toCsv } from './sheet';

/** Without the phone number, which is not kept beyond the tab. */
interface EarlierRow {
  reference: string;
  vehicle: string;
  carrier: string;
  step: NextStep;
}

export interface EarlierList {
  endedAt: string;
  rows: EarlierRow[];
}

const KEY = 'earlier-lists';
const MAX_LISTS = 20;
const MAX_AGE_MS = 7 * 86_400_000;

/** Those of the last week. */
export function earlierLists(): EarlierList[] {
  const lists = JSON.parse(localStorage.getItem(KEY) ?? '[]') as EarlierList[];
  const kept = lists.filter(({ endedAt }) => Date.now() - Date.parse(endedAt) < MAX_AGE_MS);
  if (kept.length < lists.length) save(kept);
  return kept;
}

export function keepList(items: readonly TrackingItem[]): void {
  const rows = items.map(({ item, nextStep }) => {
    const { reference, vehicle, carrier } = toRow(item.input);
    return { reference, vehicle, carrier, step: nextStep };
  });
  save([{ endedAt: new Date().toISOString(), rows }, ...earlierLists()]);
}

export function removeList({ endedAt }: EarlierList): void {
  save(earlierLists().filter((list) => list.endedAt !== endedAt));
}

const save = (lists: readonly EarlierList[]) =>
  localStorage.setItem(KEY, JSON.stringify(lists.slice(0, MAX_LISTS)));

export function downloadList({ endedAt, rows }: EarlierList): void {
  download(`list-${endedAt.slice(0, 10)}`, [
    ['Reference', 'Vehicle', 'Carrier', 'Step'],
    ...rows.map(({ reference, vehicle, carrier, step }) => [reference, vehicle, carrier, step]),
  ]);
}

/** With phone numbers: it is the file of the user. */
export function downloadItems(name: string, items: readonly TrackingItem[]): void {
  const rows = items.map(({ item, nextStep }) => ({ ...toRow(item.input), step: nextStep }));
  download(name, [
    ['Reference', 'Vehicle', 'Carrier', 'Phone', 'Step'],
    ...rows.map(({ reference, vehicle, carrier, phone, step }) => [reference, vehicle, carrier, phone, step]),
  ]);
}

/** Saves rows as a file for a spreadsheet. */
function download(name: string, rows: readonly (readonly string[])[]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([toCsv(rows)], { type: 'text/csv' }));
  link.download = `${name}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}
