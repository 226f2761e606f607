/** The CPU time that a request costs at most, as a multiple of a calibration: 50 ms where writing and parsing its JSON takes 2. */
import { beforeAll, describe, expect, test } from 'vitest';
import { TOKEN, useGateway, type RequestOptions } from '../../support/gateway/gateway.js';
import { bulkOperation, itemAbout } from '../../support/graphql/bulkFields.js';
import { creations, phones, recipientOf, repeat } from '../../support/graphql/creations.js';
import { randomBody } from '../../support/graphql/randomRequests.js';
import type { Operation } from '../../support/graphql/rootFields.js';
import { createStopwatch, type Stopwatch } from '../../support/tools/cpuTime.js';
import { sizes } from '../../support/tools/scale.js';
import { seededRandom } from '../../support/tools/seededRandom.js';

/** Client and service included, which are in this process, too. */
const MAX_UNITS = 40;
/** The code for requests that are not cheap yet is not compiled yet. */
const WARM_UP_REQUESTS = 300;

let stopwatch: Stopwatch;
beforeAll(async () => {
  stopwatch = await createStopwatch();
});
const gateway = useGateway();

describe('An operation is cheap', () => {
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
    const units = await stopwatch.measure((attempt) => {
      const { query, variables } = operation(attempt);
      return gateway.execute(query, { ...(variables && { variables }), ...options });
    });
    expect(units).toBeLessThan(MAX_UNITS);
  });
});

test(
  'A list of which nothing is sent costs no more by aliases than by what a client selects',
  { retry: 2 },
  async () => {
    const members = `code message retryable requestId inputPath rule serviceMessages`;
    const aliases = repeat(45, (index) => `a${index}: errors { ${members} }`).join(' ');
    const valid = Array.from({ length: 500 }, (_, index) => itemAbout('trackShipment', `load-${index}`));
    const invalid = valid.map(() => itemAbout('trackShipment', ' ', { idempotencyKey: ' ' }));
    const costOf = (items: object[], selection: string, args = {}) =>
      stopwatch.measure(() => {
        const { query, variables } = bulkOperation('trackShipments', items, { selection, ...args });
        return gateway.execute(query, { variables });
      });
    const plain = await costOf(invalid, `results { outcome evidence errors { ${members} } }`);
    const units = [
      await costOf(invalid, `results { ${aliases} }`),
      await costOf([...invalid.slice(0, 1), ...valid.slice(1)], `results { ${aliases} }`),
      await costOf(valid, `results { ${aliases} }`, { dryRun: true }),
    ];
    console.log(`Units of the calibration: ${plain} plain, by aliases ${units.join(', ')}`);
    for (const each of units) expect(each / plain).toBeLessThan(2);
  },
);

test(
  `${sizes.fuzzedRequests} requests of any content are cheap`,
  { timeout: sizes.testTimeoutMs },
  async () => {
    const random = seededRandom('fuzzed requests');
    const expensive: object[] = [];
    for (let index = 0; index < sizes.fuzzedRequests && expensive.length < 5; index += 1) {
      const body = randomBody(random);
      const headers = {
        'content-type': 'application/json',
        ...(random.happens(0.5) && { authorization: `Bearer ${TOKEN}` }),
      };
      const send = async () => (await fetch(gateway.url, { method: 'POST', headers, body })).text();
      let units = await stopwatch.measure(send, 1);
      if (index >= WARM_UP_REQUESTS && units > MAX_UNITS) units = await stopwatch.measure(send);
      if (index >= WARM_UP_REQUESTS && units > MAX_UNITS)
        expensive.push({ index, units, body: body.toString('latin1', 0, 500) });
      gateway.logLines.length = 0;
    }
    expect(expensive).toEqual([]);
  },
);
