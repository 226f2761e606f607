/** Limits on the input of a whole operation: list elements, additional parameters, JSON members, and the CPU time of their rules. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { startGateway, type RequestOptions, type TestGateway } from '../support/gateway/gateway.js';
import {
  asVariables,
  validArguments,
  withInvalidValue,
  type Operation,
} from '../support/graphql/rootFields.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const repeat = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index));
const { input: validInput } = validArguments('createNotification') as { input: object };
/** A creation, repeated under aliases with the same variable. By default it has no lists but one of one status. */
const creations = (count: number, overrides: object): Operation => ({
  query: `mutation ($input: NotificationInput!) { ${repeat(count, (index) => `a${index}: createNotification(input: $input) { messages }`).join(' ')} }`,
  variables: {
    input: { ...validInput, recipient: recipientOf({ emailList: ['dock@example.com'] }), ...overrides },
  },
});
const recipientOf = (lists: object) => ({ shipmentLevel: { emailList: [], smsList: [], ...lists } });
const phones = (count: number) => repeat(count, (index) => `(303) 555-${String(1000 + index)}`);
const TOO_MANY_ELEMENTS =
  'Expected an operation of at most 1000 list elements and additional parameters, got more';
const TOO_MANY_MEMBERS = 'Expected an operation of at most 10000 members of input objects, got more';

const rejected = (message: string, isMutation = true) => ({
  status: 400,
  data: undefined,
  errors: [
    {
      message,
      extensions: {
        code: 'QUERY_TOO_COMPLEX',
        ...(isMutation && { outcome: 'NOT_APPLIED' }),
        retryable: false,
      },
    },
  ],
  calls: [],
});

describe('The list elements of an operation are counted', () => {
  const objectOf = (count: number) =>
    Object.fromEntries(repeat(count, (index) => `k${index}`).map((k) => [k, 1]));
  const tracking = (additionalParameters: object) =>
    asVariables(
      'trackShipment',
      withInvalidValue('trackShipment', 'input.additionalParameters', additionalParameters),
    );

  test.each<[content: string, calls: number, operation: (extra: number) => Operation]>([
    [
      'in 10 mutations that use the same 100',
      10,
      (extra) => creations(10, { recipient: recipientOf({ smsList: phones(99 + extra) }) }),
    ],
    [
      'in lists of all kinds',
      1,
      (extra) =>
        creations(1, {
          recipient: recipientOf({
            emailList: repeat(300, (index) => `dock${index}@example.com`),
            smsList: phones(300 + extra),
          }),
          trigger: {
            other: { notificationTypeLabel: 'weather', notificationTypes: Array(200).fill('Storm') },
          },
          filters: [...Array<number>(99).fill(1), Array(100).fill(2)],
        }),
    ],
    [
      'in statuses',
      1,
      (extra) =>
        creations(1, {
          trigger: { shipmentStatusChange: Array(998 + extra).fill('DELIVERED') },
          filters: [1],
        }),
    ],
    [
      'in additional parameters and their lists',
      1,
      (extra) => tracking({ ...objectOf(499 + extra), list: Array(500).fill(1) }),
    ],
    [
      'in literals',
      1,
      (extra) => ({
        query: `mutation ($emails: [EmailAddress!]!) { createNotification(input: { notificationName: "a", recipient: { shipmentLevel: { emailList: $emails, smsList: [] } }, trigger: { shipmentStatusChange: [DELIVERED] }, filters: [${repeat(500, () => '1').join(' ')}] }) { messages } }`,
        variables: { emails: Array(499 + extra).fill('dock@example.com') },
      }),
    ],
  ])('%s: 1,000 are accepted, more are rejected before any call', async (_content, calls, operation) => {
    const accepted = await executeAndRecord(gateway, operation(0));
    expect([accepted.errors, accepted.calls.length]).toEqual([undefined, calls]);
    expect(await executeAndRecord(gateway, operation(1))).toEqual(rejected(TOO_MANY_ELEMENTS));
  });

  test('in identifiers, however often one is repeated, and before they are compared', async () => {
    const list = (count: number) =>
      asVariables('notificationsByGuid', { notificationGuids: Array(count).fill('a') });
    expect(await executeAndRecord(gateway, list(1001))).toEqual(rejected(TOO_MANY_ELEMENTS, false));
    expect(await executeAndRecord(gateway, list(60_000))).toEqual(rejected(TOO_MANY_ELEMENTS, false));
  });

  test('in variables of skipped fields', async () => {
    const operation = (count: number) => ({
      query:
        'query ($guids: [ID!]!) { notificationsByGuid(notificationGuids: $guids) @skip(if: true) { filters } }',
      variables: { guids: Array(count).fill(1) },
    });
    expect(await executeAndRecord(gateway, operation(1000))).toMatchObject({
      status: 200,
      errors: undefined,
    });
    expect(await executeAndRecord(gateway, operation(1001))).toEqual(rejected(TOO_MANY_ELEMENTS, false));
  });

  test('and the members of its input objects, of which 10,000 are accepted', async () => {
    const filtered = (count: number) => creations(10, { filters: [{ deep: [objectOf(count)] }] });
    const { errors, calls } = await executeAndRecord(gateway, filtered(990));
    expect([errors, calls.length]).toEqual([undefined, 10]);
    expect(await executeAndRecord(gateway, filtered(991))).toEqual(rejected(TOO_MANY_MEMBERS));
  });
});

describe('Without a token', () => {
  const missingToken = {
    message: 'Expected the header "Authorization: Bearer <token>"',
    extensions: { code: 'UNAUTHENTICATED', retryable: false },
  };
  const ofMutation = (path?: string[]) => ({
    message: missingToken.message,
    ...(path && { path }),
    extensions: { ...missingToken.extensions, outcome: 'NOT_APPLIED' },
  });
  const execute = (operation: Operation) => executeAndRecord(gateway, operation, { token: null });

  test('the arguments of notification operations are not validated', async () => {
    const invalid = creations(2, { notificationName: '', recipient: recipientOf({ smsList: ['1'] }) });
    expect(await execute(invalid)).toEqual({
      status: 200,
      data: { a0: null, a1: null },
      errors: [ofMutation(['a0']), ofMutation(['a1'])],
      calls: [],
    });
    expect(await execute(asVariables('notification', { notificationGuid: '..' }))).toEqual({
      status: 200,
      data: { notification: null },
      errors: [{ ...missingToken, path: ['notification'] }],
      calls: [],
    });
    expect(await execute(asVariables('notificationsByGuid', { notificationGuids: ['..'] }))).toEqual({
      status: 200,
      data: { notificationsByGuid: null },
      errors: [{ ...missingToken, path: ['notificationsByGuid'] }],
      calls: [],
    });
  });

  test('neither are variables of the wrong type, which fail the operation', async () => {
    const invalid = creations(2, { notificationName: '', filters: [null] });
    expect(await execute(invalid)).toEqual({
      status: 400,
      data: undefined,
      errors: [ofMutation()],
      calls: [],
    });
  });

  test('neither are arguments of the wrong type, which fail their field', async () => {
    const query = `
      mutation ($email: EmailAddress = "dock@example.com") {
        a: createNotification(
          input: {
            notificationName: ""
            recipient: { shipmentLevel: { emailList: [$email], smsList: ["1"] } }
            trigger: { shipmentStatusChange: [] }
          }
        ) {
          messages
        }
        trackShipment(
          input: {
            shipment: { hauler: { freightProviderReferenceNumber: "", freightHaulerProviderXid: "1" } }
            carrier: { mc: "1" }
            driverPhoneNumber: "+13035550100"
            shipmentTrackingType: "Mobile"
          }
        ) {
          tracked
        }
      }
    `;
    const { data, errors, calls } = await execute({ query, variables: { email: null } });
    expect([
      data,
      errors?.slice(0, 1),
      errors?.slice(1).map(({ path, extensions }) => [path, extensions['code']]),
      calls,
    ]).toEqual([
      { a: null, trackShipment: null },
      [ofMutation(['a'])],
      [[['trackShipment'], 'BAD_USER_INPUT']],
      [],
    ]);
  });

  test('operations that need none are validated as always', async () => {
    const args = withInvalidValue('trackShipment', 'input.driverPhoneNumber', '1');
    const { errors } = await execute(asVariables('trackShipment', args));
    expect(errors?.map(({ extensions }) => extensions['code'])).toEqual(['BAD_USER_INPUT']);
  });
});

describe('A text that is too long is rejected before it is parsed:', () => {
  test.each([
    [
      'a phone number',
      { smsList: [`+1 303 555 0100${' '.repeat(86)}`] },
      { smsList: [`+1 303 555 0100${' '.repeat(85)}`] },
    ],
    ['an email address', { emailList: [addressOf(255)] }, { emailList: [addressOf(254)] }],
  ])('%s', async (_kind, tooLong, longest) => {
    const invalid = await executeAndRecord(gateway, creations(1, { recipient: recipientOf(tooLong) }));
    expect([invalid.errors?.map(({ extensions }) => extensions['code']), invalid.calls]).toEqual([
      ['BAD_USER_INPUT'],
      [],
    ]);
    const valid = await executeAndRecord(gateway, creations(1, { recipient: recipientOf(longest) }));
    expect([valid.errors, valid.calls.length]).toEqual([undefined, 1]);
  });
});

function addressOf(length: number): string {
  const domain = '@example.com';
  return `${'x'.repeat(length - domain.length)}${domain}`;
}

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
