/** Limits on the input of a whole operation: list elements, additional parameters and JSON members. */
import { describe, expect, test } from 'vitest';
import { executeAndRecord, tooComplex } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import { creations, phones, recipientOf, repeat } from '../support/graphql/creations.js';
import { asVariables, withInvalidValue, type Operation } from '../support/graphql/rootFields.js';
const gateway = useGateway();

const TOO_MANY_ELEMENTS = 'Expected at most 1000 list elements and additional parameters, got more';
const TOO_MANY_MEMBERS = 'Expected at most 10000 members of input objects, got more';

const OF_MUTATION = { hasOutcome: true };

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
    expect(await executeAndRecord(gateway, operation(1))).toEqual(tooComplex(TOO_MANY_ELEMENTS, OF_MUTATION));
  });

  test('in identifiers, however often one is repeated, and before they are compared', async () => {
    const list = (count: number) =>
      asVariables('notificationsByGuid', { notificationGuids: Array(count).fill('a') });
    expect(await executeAndRecord(gateway, list(1001))).toEqual(tooComplex(TOO_MANY_ELEMENTS));
    expect(await executeAndRecord(gateway, list(60_000))).toEqual(tooComplex(TOO_MANY_ELEMENTS));
    const twice = (count: number) => ({
      query: `query ($guids: [ID!]!) {
        a: notificationsByGuid(notificationGuids: $guids) { notificationGuid }
        b: notificationsByGuid(notificationGuids: $guids) { notificationGuid }
      }`,
      variables: { guids: Array(count).fill('a') },
    });
    expect(await executeAndRecord(gateway, twice(501))).toEqual(tooComplex(TOO_MANY_ELEMENTS));
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
    expect(await executeAndRecord(gateway, operation(1001))).toEqual(tooComplex(TOO_MANY_ELEMENTS));
  });

  test('and the members of its input objects, of which 10,000 are accepted', async () => {
    const filtered = (count: number) => creations(10, { filters: [{ deep: [objectOf(count)] }] });
    const { errors, calls } = await executeAndRecord(gateway, filtered(990));
    expect([errors, calls.length]).toEqual([undefined, 10]);
    expect(await executeAndRecord(gateway, filtered(991))).toEqual(tooComplex(TOO_MANY_MEMBERS, OF_MUTATION));
  });
});

describe('Without a token', () => {
  const missingToken = {
    message: 'Expected the header "Authorization: Bearer <token>"',
    extensions: { code: 'UNAUTHENTICATED', retryable: false },
  };
  const ofMutation = (path: string[]) => ({
    message: missingToken.message,
    path,
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

  test.each(['1', 5])('operations that need none are validated as always: %j', async (phoneNumber) => {
    const args = withInvalidValue('trackShipment', 'input.driverPhoneNumber', phoneNumber);
    const { errors } = await execute(asVariables('trackShipment', args));
    expect(errors?.map(({ extensions }) => extensions['code'])).toEqual(['BAD_USER_INPUT']);
  });
});

describe('A text that is too long is rejected before it is parsed:', () => {
  test.each([
    [
      'a phone number',
      { smsList: [`+1 303 555${' '.repeat(87)}0100`] },
      { smsList: [`+1 303 555${' '.repeat(86)}0100`] },
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
