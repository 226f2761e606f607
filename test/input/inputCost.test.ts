/** The CPU time that the rules of the input take. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway, type RequestOptions, type TestGateway } from '../support/gateway/gateway.js';
import { creations, phones, recipientOf, repeat } from '../support/graphql/creations.js';
import type { Operation } from '../support/graphql/rootFields.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

/** The CPU time of this process, client and service included, in milliseconds: the least of several attempts. */
async function cpuMs(
  operation: (attempt: number) => Operation,
  options: RequestOptions = {},
): Promise<number> {
  let least = Infinity;
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const { query, variables } = operation(attempt);
    const before = process.cpuUsage();
    await gateway.execute(query, { ...(variables && { variables }), ...options });
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  gateway.takeCalls();
  return least;
}

describe('An operation takes less than 50 ms of CPU time', () => {
  const padded = (attempt: number) =>
    repeat(999, (index) => `3${' '.repeat(80)}0355${String(attempt * 1000 + index).padStart(5, '0')}`);
  const manyMembers = Object.fromEntries(repeat(20_000, (index) => `k${index}`).map((name) => [name, 1]));

  test.each<[content: string, operation: (attempt: number) => Operation, options?: RequestOptions]>([
    [
      '10 × 1,000 phone numbers without a token',
      () => creations(10, { recipient: recipientOf({ smsList: phones(1000) }) }),
      { token: null },
    ],
    ['10 × 1,000 phone numbers', () => creations(10, { recipient: recipientOf({ smsList: phones(1000) }) })],
    [
      '999 different padded phone numbers',
      (attempt) => creations(1, { recipient: recipientOf({ smsList: padded(attempt) }) }),
    ],
    ['10 filters with 20,000 members', () => creations(10, { filters: [manyMembers] })],
    ['10 inputs with 20,000 unknown fields', () => creations(10, manyMembers)],
    [
      'an input with 9,000 unknown fields',
      () => creations(1, Object.fromEntries(Object.entries(manyMembers).slice(0, 9000))),
    ],
    [
      '50 lists of 60,000 identifiers',
      () => ({
        query: `query ($guids: [ID!]!) { ${repeat(50, (index) => `a${index}: notificationsByGuid(notificationGuids: $guids) { filters }`).join(' ')} }`,
        variables: { guids: Array(60_000).fill('a') },
      }),
    ],
  ])('with %s', { retry: 2 }, async (_content, operation, options) => {
    expect(await cpuMs(operation, options)).toBeLessThan(50);
  });
});
