/** Tracking calls with an idempotency key each, single and in a list, and in a word what their responses say. */
import { randomUUID } from 'node:crypto';
import { post } from '../http/post.js';
import { bulkOperation, itemAbout } from './bulkFields.js';
import { splitEvidence, withEvidence } from './evidence.js';
import { about } from './faultOperations.js';

export interface KeyedWrite {
  /** By which the fault server recognizes it. */
  readonly subject: string;
  readonly key: string;
}

/** What responses say: the outcome, and a code or what the success is evidence of. */
export const said = {
  success: 'APPLIED success',
  replayed: 'APPLIED replayed',
  unavailable: 'NOT_APPLIED IDEMPOTENCY_UNAVAILABLE',
  inProgress: 'UNKNOWN IDEMPOTENCY_IN_PROGRESS',
  nothing: 'UNKNOWN no response',
} as const;

export function keyedWrites(count: number): KeyedWrite[] {
  return Array.from({ length: count }, () => ({ subject: `subject-${randomUUID()}`, key: randomUUID() }));
}

export async function track(url: string, { subject, key }: KeyedWrite): Promise<string> {
  const { query, variables } = about('trackShipment', subject);
  const body = { query: withEvidence(query), variables };
  const response = await post(url, body, { headers: { 'idempotency-key': key } }).catch(() => undefined);
  if (response === undefined) return said.nothing;
  const [error] = response.errors ?? [];
  if (error) return `${String(error.extensions['outcome'])} ${String(error.extensions['code'])}`;
  return splitEvidence(response.data).evidence ? said.replayed : said.success;
}

interface Result {
  outcome: string;
  evidence: string | null;
  errors: { code: string }[];
}

/** One operation for all; resolves with what it says of each. */
export async function trackList(url: string, writes: readonly KeyedWrite[]): Promise<string[]> {
  const items = writes.map(({ subject, key }) =>
    itemAbout('trackShipment', subject, { idempotencyKey: key }),
  );
  const selection = 'results { outcome evidence errors { code } }';
  const response = await post(url, bulkOperation('trackShipments', items, { selection })).catch(
    () => undefined,
  );
  if (response === undefined) return writes.map(() => said.nothing);
  const { results } = (response.data as { trackShipments: { results: Result[] } }).trackShipments;
  return results.map(({ outcome, evidence, errors: [error] }) => {
    if (error) return `${outcome} ${error.code}`;
    return evidence === 'REPLAY' ? said.replayed : said.success;
  });
}

const RECORDS = 'query ($keys: [ID!]!) { writeRecords(idempotencyKeys: $keys) { outcome } }';
const MAX_KEYS = 1000;

/** Whether there is a record of each. */
export async function haveRecords(url: string, writes: readonly KeyedWrite[]): Promise<boolean[]> {
  const found: boolean[] = [];
  for (let from = 0; from < writes.length; from += MAX_KEYS) {
    const keys = writes.slice(from, from + MAX_KEYS).map(({ key }) => key);
    const { data } = await post(url, { query: RECORDS, variables: { keys } });
    found.push(...(data as { writeRecords: unknown[] }).writeRecords.map((record) => record !== null));
  }
  return found;
}
