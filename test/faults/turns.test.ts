/** Turns of large responses: what has taken effect does not wait for one because its request is large. */
import { expect, test } from 'vitest';
import { useFaultGateway } from '../support/gateway/faultGateway.js';
import { about, success } from '../support/graphql/faultOperations.js';
import { asVariables } from '../support/graphql/rootFields.js';
import { notification } from '../support/service/faultServer.js';
import { createGate, until } from '../support/tools/waiting.js';

const gateway = useFaultGateway({
  env: { TRUST_PROXY: '1', SERVICE_TIMEOUT_MS: '60000' },
  config: { http: { maxLargeResponses: 1 } },
});

test('a write with a large request gets its outcome while a read keeps the turn', async () => {
  const gate = createGate();
  const rows = Array(500).fill(notification('a-guid-of-a-notification', 'robin.planner'));
  const body = JSON.stringify({ data: rows, messages: [], totalPossibleCount: rows.length });
  let isSent = false;
  gateway.service.plan = ({ subject }) => {
    if (subject === 'large') return { kind: 'respond', body };
    return subject === 'slow' ? { kind: 'delay', until: () => gate.opened } : undefined;
  };
  gateway.service.onResponse = () => {
    isSent = true;
  };
  const list = asVariables(
    'notifications',
    { additionalParameters: { subject: 'large' } },
    '{ notifications { notificationGuid } }',
  );
  // Keeps its turn until its second read has ended.
  const read = gateway.execute(
    {
      query: list.query.replace(/\}$/, 'notification(notificationGuid: "slow") { notificationGuid } }'),
      variables: list.variables ?? {},
    },
    { token: 'reader', address: '192.0.2.1' },
  );
  await until(() => isSent);

  const { query, variables } = about('trackShipment', 'load');
  const input = { ...(variables['input'] as object), additionalParameters: { padding: 'x'.repeat(100_000) } };
  const write = { query, variables: { input } };
  const writer = { token: 'writer', address: '192.0.2.2' };
  expect(await gateway.result(write, writer)).toEqual(success('trackShipment', 'load'));
  gate.open();
  expect((await read).errors).toBeUndefined();
});
