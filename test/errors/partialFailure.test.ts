import { expect, test } from 'vitest';
import { executeAndRecord, type RecordedError } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import { SEED_GUID } from '../support/graphql/rootFields.js';

const OTHER_GUID = '12751a71-3f6c-4191-9f31-0f4e1843c23e';
const COLLECTION = '/v1/customnotifications';
const gateway = useGateway({
  readsBack: false,
  env: { SERVICE_CONNECTIONS: '1' },
  config: { service: { retries: 0 } },
});

const failure = (path: RecordedError['path'], outcome?: string): RecordedError => ({
  message: 'The service failed to process the request',
  ...(path && { path }),
  extensions: {
    code: 'SERVICE_ERROR',
    ...(outcome && { outcome }),
    retryable: outcome === undefined,
    status: 500,
  },
});

test('executes mutation fields serially, each with its own result or error', async () => {
  gateway.injectFaults({ status: 409 }, {}, { status: 500 }, {});
  const deletion = (name: string, guid: string) =>
    `${name}: deleteNotification(notificationGuid: "${guid}") { notificationGuid }`;
  const query = `
    mutation {
      ${deletion('a', SEED_GUID)}
      ${deletion('b', SEED_GUID)}
      ${deletion('c', OTHER_GUID)}
      ${deletion('d', OTHER_GUID)}
    }
  `;
  expect(await executeAndRecord(gateway, { query })).toEqual({
    status: 200,
    data: { a: null, b: { notificationGuid: SEED_GUID }, c: null, d: { notificationGuid: OTHER_GUID } },
    errors: [
      {
        message: 'The change conflicts with the current state in the service',
        path: ['a'],
        extensions: { code: 'CONFLICT', outcome: 'NOT_APPLIED', retryable: false, status: 409 },
      },
      failure(['c'], 'UNKNOWN'),
    ],
    calls: [SEED_GUID, SEED_GUID, OTHER_GUID, OTHER_GUID].map((guid) => `DELETE ${COLLECTION}/${guid}`),
  });
});
