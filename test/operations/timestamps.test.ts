import { expect, test } from 'vitest';
import { READ } from '../support/graphql/documents.js';
import { oneNotification } from '../support/service/examples.js';
import { useGateway } from '../support/gateway/gateway.js';
import { expectedNotification } from '../support/service/expectedNotification.js';

const { notification, envelope } = oneNotification('stopLevel');
const guid = notification.notificationGuid;
const expected = expectedNotification(notification);
const gateway = useGateway();

async function read(
  changes: Partial<Record<'lastUpdateDate' | 'lastUpdateUserName', string | null | undefined>>,
) {
  gateway.injectFaults({
    body: JSON.stringify({ ...envelope, data: [{ ...notification, ...changes }] }),
  });
  const { data, errors } = await gateway.execute(READ, { variables: { guid } });
  return { data, errors };
}

test.each([
  '2024-05-01T08:30:00.1234567-05:00',
  '2024-05-01T08:30:00.1000000-05:00',
  '2024-05-01T08:30:00.123456789012+00:00',
  '2024-05-01T08:30:00.0Z',
  '2024-05-01T08:30:00Z',
  '2024-05-01T08:30:00-00:00',
  '2024-02-29T23:59:59.9999999+14:00',
  '0001-01-01T00:00:00.0000000+05:45',
  '9999-12-31T23:59:59.9999999-11:00',
])('preserves every digit and the offset of %s', async (lastUpdateDate) => {
  expect(await read({ lastUpdateDate })).toEqual({ data: { notification: { ...expected, lastUpdateDate } } });
});

test.each([null, undefined])(
  'returns null for lastUpdateDate and lastUpdateUserName if the service sends %s',
  async (value) => {
    expect(await read({ lastUpdateDate: value, lastUpdateUserName: value })).toEqual({
      data: { notification: { ...expected, lastUpdateDate: null, lastUpdateUserName: null } },
    });
  },
);
