import { describe, expect, test } from 'vitest';
import { executeAndRecord, type RecordedExecution } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import {
  withInvalidValue,
  guidFields,
  isMutation,
  asLiterals,
  asVariables,
  type FieldName,
} from '../support/graphql/rootFields.js';
const gateway = useGateway();

const COLLECTION = '/v1/customnotifications/';

describe('an unusual identifier is sent as one path segment', () => {
  const unusual: [guid: string, segment: string][] = [
    ['%2e%2e', '%252e%252e'],
    ['%2F', '%252F'],
    ['%', '%25'],
    ['%zz', '%25zz'],
    ['?', '%3F'],
    ['a?b=c', 'a%3Fb%3Dc'],
    ['#', '%23'],
    ['a;b=c', 'a%3Bb%3Dc'],
    ['..;', '..%3B'],
    ['...', '...'],
    [' . ', '%20.%20'],
    ['a:b@c', 'a%3Ab%40c'],
    ['{notificationGuid}', '%7BnotificationGuid%7D'],
    ['$&', '%24%26'],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['é', '%C3%A9'],
    ['\u2025', '%E2%80%A5'],
    ['\u2215', '%E2%88%95'],
    ['\u202e', '%E2%80%AE'],
    ['\u{1f69a}', '%F0%9F%9A%9A'],
  ];

  test.each(
    guidFields.flatMap(([field, place, method]) =>
      unusual.map((row) => [field, method, place, ...row] as const),
    ),
  )('%s: %s %s %j', async (field, method, place, guid, segment) => {
    const expected = unknownGuid(field, guid, `${method} ${COLLECTION}${segment}`);
    const args = withInvalidValue(field, place, guid);
    expect(await executeAndRecord(gateway, asVariables(field, args))).toEqual(expected);
    expect(await executeAndRecord(gateway, asLiterals(field, args))).toEqual(expected);
  });

  test('even if it is 256 characters long', async () => {
    const guid = 'x'.repeat(256);
    expect(
      await executeAndRecord(gateway, asVariables('deleteNotification', { notificationGuid: guid })),
    ).toEqual(unknownGuid('deleteNotification', guid, `DELETE ${COLLECTION}${guid}`));
  });

  test('as its digits if it is an integer', async () => {
    const expected = unknownGuid('notification', '12', `GET ${COLLECTION}12`);
    for (const toOperation of [asVariables, asLiterals]) {
      expect(await executeAndRecord(gateway, toOperation('notification', { notificationGuid: 12 }))).toEqual(
        expected,
      );
    }
  });
});

test('no random identifier escapes its path segment', { timeout: 60_000 }, async () => {
  const seed = Number(process.env['TEST_SEED'] ?? Date.now() % 2 ** 32);
  console.log(`Seed for random identifiers: ${seed}`);
  const random = createRandom(seed);
  const counts = { rejected: 0, sent: 0 };

  for (let round = 0; round < 500; round += 1) {
    const guid = randomGuid(random);
    const [field, place, method] = guidFields[round % guidFields.length] as (typeof guidFields)[number];
    const operation = asVariables(field, withInvalidValue(field, place, guid));
    const { errors, calls } = await executeAndRecord(gateway, operation);
    const context = `${field} ${JSON.stringify(guid)}, seed ${seed}`;
    if (errors?.[0]?.extensions['code'] === 'BAD_USER_INPUT') {
      counts.rejected += 1;
      expect(calls, context).toEqual([]);
      continue;
    }
    counts.sent += 1;
    expect(calls, context).toHaveLength(1);
    const path = calls[0]?.slice(`${method} `.length) ?? '';
    // URL normalization removes dot segments, even percent-encoded ones.
    expect(new URL(path, 'http://service').pathname, context).toBe(path);
    const segment = path.slice(COLLECTION.length);
    expect([calls[0], decodeURIComponent(segment)], context).toEqual([
      `${method} ${COLLECTION}${segment}`,
      guid,
    ]);
    expect(segment, context).toMatch(/^(?:[\w.~!*'()-]|%[\dA-F]{2})+$/);
  }
  expect(counts.rejected).toBeGreaterThan(50);
  expect(counts.sent).toBeGreaterThan(50);
});

/** The execution of a field for a notification that does not exist. */
function unknownGuid(field: FieldName, guid: string, call: string): RecordedExecution {
  const data = field === 'notificationsByGuid' ? [null] : null;
  const error = {
    message: 'No resource matches these identifiers',
    path: [field],
    extensions: {
      code: 'NOT_FOUND',
      outcome: 'NOT_APPLIED',
      retryable: false,
      status: 404,
      serviceMessages: [{ message: `There is no notification ${guid}.` }],
    },
  };
  return {
    status: 200,
    data: { [field]: data },
    errors: isMutation(field) ? [error] : undefined,
    calls: [call],
  };
}

function randomGuid(random: () => number): string {
  const pieces = [
    '.',
    '..',
    '/',
    '\\',
    '%',
    '%2e',
    '%2F',
    '%5c',
    ';',
    '?',
    '#',
    '&',
    ':',
    '@',
    '{',
    '}',
    ' ',
    '\t',
  ];
  const others = [
    '\u0000',
    '\r\n',
    '\u007f',
    '\u0085',
    '\ud800',
    '\udfff',
    '\u{1f69a}',
    'é',
    '\uff0e',
    '\u2215',
  ];
  const all = [...pieces, ...others, 'a', 'B', '0', '-', '_', '~', 'ab-12'];
  const length = Math.floor(random() * 5);
  return Array.from({ length }, () => all[Math.floor(random() * all.length)] ?? '').join('');
}

/** Mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
