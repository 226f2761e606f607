import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSeeds } from '../../src/reference-service/seeds.js';
import { READ, UPDATE } from '../support/graphql/documents.js';
import { fieldError } from '../support/graphql/fieldError.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';
import { expectedNotification } from '../support/service/expectedNotification.js';
import { violation } from '../support/graphql/violations.js';

type QueriedNotification = ReturnType<typeof expectedNotification>;

/** The service allows notifications without recipients or statuses; the input requires at least one of each. */
const rejectedSeeds = [
  {
    name: 'No recipient yet',
    inputPath: 'input.recipient.shipmentLevel',
    message: 'expected at least one email address or phone number, got {"emailList":[],"smsList":[]}',
  },
  {
    name: 'No sub-type',
    inputPath: 'input.trigger.shipmentStatusChange',
    message: 'expected at least one status, got []',
  },
];

const seeds = readSeeds().notifications.map((seed) => ({ name: seed.notificationName, seed }));
/** The input cannot express a recipient of a type that the schema does not define. */
const withKnownRecipient = seeds.filter(({ seed }) =>
  /^(stop|shipment)level$/i.test(seed.notificationRecipientType),
);

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

async function read(guid: string): Promise<QueriedNotification> {
  const { notification } = (await gateway.data(READ, { variables: { guid } })) as {
    notification: QueriedNotification;
  };
  gateway.takeCalls();
  return notification;
}

/** The recipient type in the gateway's spelling, and the recipient's other fields. */
function recipientOf({ recipient }: QueriedNotification) {
  const contacts = Object.fromEntries(
    Object.entries(recipient).filter(([name]) => !['__typename', 'notificationRecipientType'].includes(name)),
  );
  return { type: 'emailList' in contacts ? 'shipmentLevel' : 'stopLevel', contacts };
}

/** The input of an update that changes nothing. */
function inputOf(queried: QueriedNotification) {
  const { notificationName, notificationTypeLabel, notificationTypes, shipmentStatuses, filters } = queried;
  const { type, contacts } = recipientOf(queried);
  const hasKnownStatuses = shipmentStatuses.length === notificationTypes.length;
  return {
    notificationName,
    recipient: { [type]: contacts },
    trigger: hasKnownStatuses
      ? { shipmentStatusChange: shipmentStatuses }
      : { other: { notificationTypeLabel, notificationTypes } },
    filters,
  };
}

describe('A queried notification round-trips through an update', () => {
  const accepted = withKnownRecipient.filter(({ name }) => !rejectedSeeds.some((each) => each.name === name));

  test.each(accepted)('for the seed $name', async ({ seed }) => {
    const guid = seed.notificationGuid;
    const before = await read(guid);
    expect(before).toEqual(expectedNotification(seed));

    await gateway.data(UPDATE, { variables: { guid, input: inputOf(before) } });
    const { type, contacts } = recipientOf(before);
    const { notificationName, notificationTypeLabel, notificationTypes, filters } = seed;
    expect(summariesOf(gateway.takeCalls())).toEqual([
      restCall('PUT', `/v1/customnotifications/${guid}`, {
        body: {
          notificationGuid: guid,
          notificationName,
          notificationRecipientType: type,
          ...contacts,
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

test.each(rejectedSeeds)(
  'An update with a queried notification is rejected if it violates an input rule: $name',
  async ({ name, inputPath, message }) => {
    const guid = seeds.find((each) => each.name === name)?.seed.notificationGuid ?? '';
    const input = inputOf(await read(guid));
    const { data, errors } = await gateway.execute(UPDATE, { variables: { guid, input } });
    expect({ data, errors }).toEqual({
      data: { updateNotification: null },
      errors: [
        fieldError(UPDATE, ['updateNotification'], message, {
          code: 'BAD_USER_INPUT',
          ...violation(inputPath, message),
          outcome: 'NOT_APPLIED',
          retryable: false,
        }),
      ],
    });
    expect(gateway.takeCalls()).toEqual([]);
  },
);
