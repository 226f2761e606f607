import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSeeds } from '../../src/reference-service/seeds.js';
import { READ, UPDATE } from '../support/graphql/documents.js';
import { fieldError } from '../support/graphql/fieldError.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';
import { expectedNotification } from '../support/service/expectedNotification.js';

type Shown = ReturnType<typeof expectedNotification>;

/** A notification with nobody to tell, and one that is never told: the input asks for at least one of each. */
const unsendable = [
  {
    name: 'No recipient yet',
    inputPath: 'input.recipient.shipmentLevel',
    message: 'expected at least one e-mail address or phone number, got {"emailList":[],"smsList":[]}',
  },
  {
    name: 'No sub-type',
    inputPath: 'input.trigger.shipmentStatusChange',
    message: 'expected at least one status, got []',
  },
];

const seeds = readSeeds().notifications.map((seed) => ({ name: seed.notificationName, seed }));
/** The input has no recipient of a type that the schema does not know. */
const writable = seeds.filter(({ seed }) => /^(stop|shipment)level$/i.test(seed.notificationRecipientType));

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

async function read(guid: string): Promise<Shown> {
  const { notification } = (await gateway.data(READ, { variables: { guid } })) as { notification: Shown };
  gateway.takeCalls();
  return notification;
}

/** The recipient type as the gateway spells it, and the recipient's other fields. */
function recipientOf({ recipient }: Shown) {
  const means = Object.fromEntries(
    Object.entries(recipient).filter(([name]) => !['__typename', 'notificationRecipientType'].includes(name)),
  );
  return { type: 'emailList' in means ? 'shipmentLevel' : 'stopLevel', means };
}

/** What was read, as the input of an update. */
function inputOf(shown: Shown) {
  const { notificationName, notificationTypeLabel, notificationTypes, shipmentStatuses, filters } = shown;
  const { type, means } = recipientOf(shown);
  const isKnown = shipmentStatuses.length === notificationTypes.length;
  return {
    notificationName,
    recipient: { [type]: means },
    trigger: isKnown
      ? { shipmentStatusChange: shipmentStatuses }
      : { other: { notificationTypeLabel, notificationTypes } },
    filters,
  };
}

describe('What a query gave is sent back unchanged and comes back the same', () => {
  const sendable = writable.filter(({ name }) => !unsendable.some((each) => each.name === name));

  test.each(sendable)('$name', async ({ seed }) => {
    const guid = seed.notificationGuid;
    const before = await read(guid);
    expect(before).toEqual(expectedNotification(seed));

    await gateway.data(UPDATE, { variables: { guid, input: inputOf(before) } });
    const { type, means } = recipientOf(before);
    const { notificationName, notificationTypeLabel, notificationTypes, filters } = seed;
    expect(summariesOf(gateway.takeCalls())).toEqual([
      restCall('PUT', `/v1/customnotifications/${guid}`, {
        body: {
          notificationGuid: guid,
          notificationName,
          notificationRecipientType: type,
          ...means,
          notificationTypeLabel,
          notificationTypes,
          filters,
        },
      }),
    ]);

    expect(await read(guid)).toEqual({
      ...before,
      recipient: { ...before.recipient, notificationRecipientType: type },
      lastUpdateUserName: 'reference.user',
      lastUpdateDate: expect.any(String) as string,
    });
  });
});

test.each(unsendable)(
  'What the input has a rule against is not sent back: $name',
  async ({ name, inputPath, message }) => {
    const guid = seeds.find((each) => each.name === name)?.seed.notificationGuid ?? '';
    const input = inputOf(await read(guid));
    const { data, errors } = await gateway.execute(UPDATE, { variables: { guid, input } });
    expect({ data, errors }).toEqual({
      data: { updateNotification: null },
      errors: [
        fieldError(UPDATE, ['updateNotification'], `${inputPath}: ${message}`, {
          code: 'BAD_USER_INPUT',
          inputPath,
          outcome: 'NOT_APPLIED',
          retryable: false,
        }),
      ],
    });
    expect(gateway.takeCalls()).toEqual([]);
  },
);
