import { HttpError } from './httpError.js';

const DEFAULT_PAGE_SIZE = 20;

/** The contract documents no paging. These parameters are the mock's own, for front ends that want to try theirs. */
export interface PageParameters {
  /** Counts from 1. @default 1 */
  page?: unknown;
  /** @default 20 */
  pageSize?: unknown;
}

/** Returns everything if the query has neither parameter, and nothing after the last page. */
export function pageOf<Item>(items: Item[], { page, pageSize }: PageParameters): Item[] {
  if (page === undefined && pageSize === undefined) return items;
  const size = positiveInteger('pageSize', pageSize ?? String(DEFAULT_PAGE_SIZE));
  const start = (positiveInteger('page', page ?? '1') - 1) * size;
  return items.slice(start, start + size);
}

function positiveInteger(name: string, value: unknown): number {
  if (typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new HttpError(400, [
    { message: `${name} must be an integer of at least 1, got ${JSON.stringify(value)}` },
  ]);
}
