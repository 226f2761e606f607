import { expect, test } from 'vitest';
import { readNotifications } from '../../src/mock/notifications.js';
import { READ_SEVERAL } from '../support/graphql/documents.js';
import { fieldError, serviceErrorMessages } from '../support/graphql/fieldError.js';
import { useGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';
import { expectedNotification } from '../support/service/expectedNotification.js';

const unknown = '00000000-0000-4000-8000-000000000000';
const seeds = readNotifications().slice(0, 4);
const guids = seeds.map(({ notificationGuid }) => notificationGuid);
const [one, two, three, four] = seeds.map(expectedNotification);
const [guidOne = '', guidTwo = '', guidThree = '', guidFour = ''] = guids;
const readOf = (guid: string) => restCall('GET', `/v1/customnotifications/${guid}`);
const gateway = useGateway({ env: { SERVICE_CONNECTIONS: '1', SERVICE_RETRIES: '0' } });

test('returns notifications in the requested order, with null for each unknown one', async () => {
  const variables = { guids: [guidThree, unknown, guidOne, guidFour, guidTwo] };
  expect(await gateway.data(READ_SEVERAL, { variables })).toEqual({
    notificationsByGuid: [three, null, one, four, two],
  });
  expect(summariesOf(gateway.takeCalls())).toEqual(variables.guids.map(readOf));
});

test('reads an identifier once per operation, however often it occurs', async () => {
  const document = `
    query ($guids: [ID!]!, $guid: ID!) {
      notificationsByGuid(notificationGuids: $guids) { notificationGuid }
      again: notificationsByGuid(notificationGuids: [$guid]) { notificationName }
      notification(notificationGuid: $guid) { notificationGuid }
    }
  `;
  const variables = { guids: [guidOne, guidTwo, guidOne, unknown, unknown, guidTwo], guid: guidTwo };
  expect(await gateway.data(document, { variables })).toEqual({
    notificationsByGuid: variables.guids.map((guid) =>
      guid === unknown ? null : { notificationGuid: guid },
    ),
    again: [{ notificationName: two?.notificationName }],
    notification: { notificationGuid: guidTwo },
  });
  expect(summariesOf(gateway.takeCalls())).toEqual([guidOne, guidTwo, unknown].map(readOf));
});

test('reads again for the next request', async () => {
  const variables = { guids: [guidOne] };
  await gateway.data(READ_SEVERAL, { variables });
  await gateway.data(READ_SEVERAL, { variables });
  expect(summariesOf(gateway.takeCalls())).toEqual([readOf(guidOne), readOf(guidOne)]);
});

test('returns the other notifications if some reads fail, with one error per failed element', async () => {
  gateway.injectFaults({ delayMs: 0 }, { status: 500 }, { delayMs: 0 }, { status: 403 });
  const variables = { guids };
  const { data, errors } = await gateway.execute(READ_SEVERAL, { variables });
  expect({ data, errors }).toEqual({
    data: { notificationsByGuid: [one, null, three, null] },
    errors: [
      fieldError(READ_SEVERAL, ['notificationsByGuid', 1], serviceErrorMessages.failed, {
        code: 'SERVICE_ERROR',
        retryable: true,
        status: 500,
      }),
      fieldError(READ_SEVERAL, ['notificationsByGuid', 3], serviceErrorMessages.forbidden, {
        code: 'FORBIDDEN',
        retryable: false,
        status: 403,
      }),
    ],
  });
  expect(summariesOf(gateway.takeCalls())).toEqual(guids.map(readOf));
});

test('reports a failed read at each position of a repeated identifier', async () => {
  gateway.injectFaults({ status: 403 });
  const variables = { guids: [guidOne, guidOne] };
  const { data, errors } = await gateway.execute(READ_SEVERAL, { variables });
  const extensions = { code: 'FORBIDDEN', retryable: false, status: 403 };
  expect({ data, errors }).toEqual({
    data: { notificationsByGuid: [null, null] },
    errors: [0, 1].map((index) =>
      fieldError(READ_SEVERAL, ['notificationsByGuid', index], serviceErrorMessages.forbidden, extensions),
    ),
  });
  expect(summariesOf(gateway.takeCalls())).toEqual([readOf(guidOne)]);
});

test('makes no REST call for an empty list', async () => {
  expect(await gateway.data(READ_SEVERAL, { variables: { guids: [] } })).toEqual({
    notificationsByGuid: [],
  });
  expect(gateway.takeCalls()).toEqual([]);
});
