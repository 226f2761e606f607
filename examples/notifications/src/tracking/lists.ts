/** Lists that were sent before, and rows as a file. */
import type { NextStep } from 'shipment-graphql-client';
import type { TrackingItem } from './batch';
import { toRow, type Row } from './rows';

interface EarlierRow extends Row {
  step: NextStep;
}

export interface EarlierList {
  endedAt: string;
  rows: EarlierRow[];
}

const KEY = 'earlier-lists';
const MAX_LISTS = 20;

export const earlierLists = () => JSON.parse(localStorage.getItem(KEY) ?? '[]') as EarlierList[];

export function keepList(items: readonly TrackingItem[]): void {
  const list = { endedAt: new Date().toISOString(), rows: items.map(toEarlierRow) };
  localStorage.setItem(KEY, JSON.stringify([list, ...earlierLists()].slice(0, MAX_LISTS)));
}

export const toEarlierRow = ({ item, nextStep }: TrackingItem): EarlierRow => ({
  ...toRow(item.input),
  step: nextStep,
});

/** Saves rows as a file for a spreadsheet. */
export function download(name: string, rows: readonly EarlierRow[]): void {
  const lines = rows.map(({ reference, vehicle, carrier, phone, step }) =>
    [reference, vehicle, carrier, phone, step].map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','),
  );
  const text = ['Reference,Vehicle,Carrier,Phone,Step', ...lines].join('\r\n');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = `${name}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}
