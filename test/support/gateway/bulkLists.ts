/** Lists of loads for the tests of bulk fields, and their results in one line each. */
import { expect } from 'vitest';
import { startFaultGateway, type FaultGateway, type FaultGatewayOptions } from './faultGateway.js';
import { bulkOperation, itemAbout } from '../graphql/bulkFields.js';
import type { Operation } from '../graphql/rootFields.js';
import { forTest } from '../tools/useStarted.js';

/** A gateway of one test. An operation has two items in flight. */
export function startBulkGateway({ env, ...options }: FaultGatewayOptions = {}): Promise<FaultGateway> {
  const starting = startFaultGateway({
    env: { IDEMPOTENCY_STORE: 'memory', SERVICE_CONNECTIONS: '8', ...env },
    config: { service: { retries: 0 } },
    ...options,
  });
  return forTest(starting);
}

export const names = (count: number, prefix = 'load') =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
export const loads = (count: number, prefix?: string) =>
  names(count, prefix).map((name) => itemAbout('trackShipment', name));
/** What `linesOf` reads. */
export const LINE = 'results { outcome evidence errors { code retryable retryAfterSeconds } }';
export const track = (items: readonly object[], args?: Parameters<typeof bulkOperation>[2]) =>
  bulkOperation('trackShipments', items, { selection: LINE, ...args });
export const subjectsOf = (gateway: FaultGateway) => gateway.service.requests.map(({ subject }) => subject);

interface Result {
  outcome: string;
  evidence: string | null;
  errors: { code: string; retryable: boolean; retryAfterSeconds: number | null }[];
}

/** The results, each in one line. */
export function linesOf(data: unknown): string[] {
  const [field] = Object.values(data as Record<string, { results: Result[] }>);
  return (field?.results ?? []).map(({ outcome, evidence, errors: [error] }) =>
    [outcome, evidence, error?.code, error?.retryable && 'retryable', error?.retryAfterSeconds]
      .filter(Boolean)
      .join(' '),
  );
}

/** Sends an operation without GraphQL errors; resolves with its results, each in one line. */
export async function results(gateway: FaultGateway, operation: Operation): Promise<string[]> {
  const { data, errors } = await gateway.execute(operation);
  expect(errors).toBeUndefined();
  return linesOf(data);
}

export const APPLIED = 'APPLIED RESPONSE';
export const UNSENT = 'NOT_APPLIED NOT_SENT SERVICE_UNAVAILABLE retryable';
export const repeat = (text: string, times: number) => Array<string>(times).fill(text);
