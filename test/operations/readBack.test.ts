/** Writes of unknown outcome: what the gateway reads afterwards, and what it concludes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway, WITH_READ_BACK, type TestGateway } from '../support/gateway/gateway.js';
import { SEED_GUID } from '../support/graphql/rootFields.js';
import { JIT_THRESHOLD } from '../../src/graphql/execution/executor.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { ...WITH_READ_BACK, SERVICE_RETRIES: '0' } });
});
afterAll(() => gateway.stop());

const RENAME = `mutation ($guid: ID!, $input: UpdateNotificationInput!) {
  renamed: updateNotification(notificationGuid: $guid, input: $input) { notification { notificationName } messages }
}`;

test('names the response key of a field in interpreted and in compiled operations', async () => {
  for (let time = 0; time < JIT_THRESHOLD + 10; time += 1) {
    await gateway.data(RENAME, { variables: { guid: SEED_GUID, input: { notificationName: 'New name' } } });
    gateway.takeCalls();
    gateway.injectFaults({}, { status: 500 });
    const { data, errors, extensions } = await gateway.execute(RENAME, {
      variables: { guid: SEED_GUID, input: { notificationName: 'New name' } },
    });
    expect({ data, errors, extensions }).toEqual({
      data: { renamed: { notification: { notificationName: 'New name' }, messages: [] } },
      errors: undefined,
      extensions: { readBack: ['renamed'] },
    });
    expect(gateway.takeCalls().map(({ method }) => method)).toEqual(['GET', 'PUT', 'GET']);
  }
});
