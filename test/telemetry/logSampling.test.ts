import pMap from 'p-map';
import { afterEach, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { until } from '../support/tools/waiting.js';

const OK = '{ __typename }';

let gateway: TestGateway | undefined;
afterEach(() => gateway?.stop());

/** Sends the requests; returns their lines by request ID. A last request, which fails, is logged in any case. */
async function linesOf(LOG_SAMPLE: string, requests: { headers: Record<string, string>; query?: string }[]) {
  const started = (gateway = await startGateway({ env: { LOG_SAMPLE } }));
  await pMap(requests, ({ headers, query = OK }) => started.execute(query, { headers }), { concurrency: 20 });
  await started.execute('{', { headers: { 'x-request-id': 'last' } });
  await until(() => started.logLines.some(({ requestId }) => requestId === 'last'));
  const lines = started.logLines.filter(({ msg, requestId }) => msg === 'Request' && requestId !== 'last');
  return new Map(lines.map((line) => [line['requestId'], line]));
}

const ids = Array.from({ length: 200 }, (_, index) => ({ headers: { 'x-request-id': `order-${index}` } }));

test('Without LOG_SAMPLE every request is logged, without a share', async () => {
  const lines = await linesOf('', ids.slice(0, 20));
  expect(lines.size).toBe(20);
  for (const line of lines.values()) expect(line).not.toHaveProperty('sample');
});

test('LOG_SAMPLE logs that share of the successful requests, which their lines say', async () => {
  const lines = await linesOf('0.25', ids);
  expect(lines.size).toBeGreaterThan(40);
  expect(lines.size).toBeLessThan(60);
  for (const line of lines.values()) expect(line).toMatchObject({ level: 30, sample: 0.25 });
});

test('Processes with the same LOG_SAMPLE log the same requests, and a larger share includes a smaller one', async () => {
  const first = [...(await linesOf('0.25', ids)).keys()].sort();
  await gateway?.stop();
  const second = [...(await linesOf('0.25', ids)).keys()].sort();
  await gateway?.stop();
  const larger = await linesOf('0.5', ids);
  expect(second).toEqual(first);
  expect(first.filter((id) => !larger.has(id))).toEqual([]);
  expect(larger.size).toBeGreaterThan(85);
});

test('Within a trace, the trace ID decides which requests are logged, whatever their own IDs', async () => {
  const traced = (end: string, count: number) =>
    Array.from({ length: 3 }, (_, index) => ({
      headers: {
        traceparent: `00-${'a'.repeat(19)}${end}-b7ad6b7169203331-01`,
        'x-request-id': `${count}-${index}`,
      },
    }));
  const lines = await linesOf('0.25', [
    ...traced('0'.repeat(13), 1),
    ...traced(`b${'f'.repeat(12)}`, 2),
    ...traced(`c${'0'.repeat(12)}`, 3),
    ...traced('f'.repeat(13), 4),
  ]);
  expect([...lines.keys()].sort()).toEqual(['3-0', '3-1', '3-2', '4-0', '4-1', '4-2']);
});

test('LOG_SAMPLE=0 logs every request that does not succeed, and none that does', async () => {
  const requestId = (id: string) => ({ 'x-request-id': id });
  const lines = await linesOf('0', [
    ...ids.slice(0, 20),
    { headers: requestId('invalid'), query: '{ nothing }' },
    { headers: requestId('rejected'), query: '{ notification(notificationGuid: "..") { filters } }' },
    {
      headers: requestId('not-found'),
      query: 'mutation { deleteNotification(notificationGuid: "none") { messages } }',
    },
  ]);
  expect([...lines.keys()].sort()).toEqual(['invalid', 'not-found', 'rejected']);
  for (const line of lines.values()) expect(line).not.toHaveProperty('sample');
});
