import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { type MockService, type MockServiceOptions, startMockService } from '../../src/mock/mockService.js';
import { json, send } from './client.js';

const PATH = '/v1/customnotifications';
const GUID = 'e124b63a-74ab-43ac-abaf-d7512394501a';

let service: MockService;
afterEach(() => service.stop());
const start = async (options?: MockServiceOptions) => {
  service = await startMockService(options);
};

test('latencyMs delays every response', async () => {
  await start({ latencyMs: 80, faultFor: () => ({ status: 503 }) });
  const startedAt = performance.now();
  expect((await send(service, 'GET', PATH)).status).toBe(503);
  expect(performance.now() - startedAt).toBeGreaterThan(75);
});

test('Each request is logged as a line without its token', async () => {
  const lines: string[] = [];
  await start({
    log: (line) => lines.push(line),
    faultFor: ({ method }) => (method === 'DELETE' ? { disconnect: 'beforeResponse' } : undefined),
  });
  await send(service, 'GET', `${PATH}?page=1`);
  await send(service, 'GET', `${PATH}/unknown`);
  await expect(send(service, 'DELETE', `${PATH}/${GUID}`)).rejects.toThrow('fetch failed');
  await fetch(`${service.url}/openapi.yaml`).then((response) => response.text());
  expect(lines.map((line) => line.replace(/\d+ ms$/, '… ms'))).toEqual([
    `GET ${PATH}?page=1 200 … ms`,
    `GET ${PATH}/unknown 404 … ms`,
    `DELETE ${PATH}/${GUID} disconnected … ms`,
    'GET /openapi.yaml 200 … ms',
  ]);
});

test('GET /openapi.yaml returns the contract without a token and is not recorded', async () => {
  await start({ faultFor: () => ({ status: 500 }) });
  const response = await fetch(`${service.url}/openapi.yaml`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/yaml']);
  expect(await response.text()).toBe(
    readFileSync(new URL('../../seeds/openapi.yaml', import.meta.url), 'utf8'),
  );
  expect(service.calls).toEqual([]);
});

describe('The sample data is restored', () => {
  const exception = {
    FreightProviderReferenceNumber: 'REF-1008',
    FreightHaulerProviderXID: 'XID-2008',
    CarrierSCAC: 'EXMD',
    ExceptionGuid: 'e0000000-0000-4000-8000-000000000801',
  };
  const removeException = () =>
    send(service, 'DELETE', '/atlas/frexapi/shipment/exception', { body: exception });

  test.each([
    ['POST /reset', () => fetch(`${service.url}/reset`, { method: 'POST', body: '{}' })],
    [
      'reset()',
      () => {
        service.reset();
        return undefined;
      },
    ],
  ])('by %s', async (_name, reset) => {
    await start();
    const seeds = await send(service, 'GET', PATH);
    expect((await send(service, 'DELETE', `${PATH}/${GUID}`)).status).toBe(204);
    expect((await removeException()).status).toBe(204);
    expect(await send(service, 'GET', PATH)).not.toEqual(seeds);
    expect((await removeException()).status).toBe(404);

    const response = await reset();
    if (response) expect(response.status).toBe(204);
    expect(await send(service, 'GET', PATH)).toEqual(seeds);
    expect((await removeException()).status).toBe(204);
  });
});

describe('Browsers may call the service from every origin', () => {
  const origin = 'http://localhost:5173';

  test('after a preflight request, whose headers it allows', async () => {
    await start({ faultFor: () => ({ status: 500 }) });
    const response = await fetch(service.url + PATH, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'authorization,x-own',
      },
    });
    expect([response.status, corsHeaders(response)]).toEqual([
      204,
      {
        'access-control-allow-headers': 'authorization,x-own',
        'access-control-allow-methods': 'GET, POST, PUT, DELETE',
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'retry-after, www-authenticate',
      },
    ]);
    expect(service.calls).toEqual([]);
  });

  test.each([{}, { status: 500 }])('and read a response, also with the fault %j', async (fault) => {
    await start({ faultFor: () => fault });
    const response = await fetch(service.url + PATH, { headers: { origin, authorization: 'Bearer any' } });
    expect(corsHeaders(response)).toEqual({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'retry-after, www-authenticate',
    });
  });

  const corsHeaders = ({ headers }: Response) =>
    Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
});

describe('The list', () => {
  const guidsOf = async (query: string) => {
    const { body } = await send(service, 'GET', `${PATH}${query}`);
    const { data, totalPossibleCount } = body as {
      data: { notificationGuid: string }[];
      totalPossibleCount: number;
    };
    expect(totalPossibleCount).toBe(36);
    return data.map(({ notificationGuid }) => notificationGuid);
  };

  test('has the page that page and pageSize select, and the total of all pages', async () => {
    await start();
    const all = await guidsOf('');
    expect(all.length).toBe(36);
    expect(await guidsOf('?page=1&pageSize=10')).toEqual(all.slice(0, 10));
    expect(await guidsOf('?page=4&pageSize=10')).toEqual(all.slice(30));
    expect(await guidsOf('?page=5&pageSize=10')).toEqual([]);
    expect(await guidsOf('?pageSize=3')).toEqual(all.slice(0, 3));
    expect(await guidsOf('?page=2')).toEqual(all.slice(20));
    expect(await guidsOf('?other=2')).toEqual(all);
  });

  test.each([
    ['page=0', 'page', '"0"'],
    ['page=x&pageSize=1', 'page', '"x"'],
    ['pageSize=-1', 'pageSize', '"-1"'],
    ['pageSize=1&pageSize=2', 'pageSize', '["1","2"]'],
  ])('is rejected for %s', async (query, name, value) => {
    await start();
    expect(await send(service, 'GET', `${PATH}?${query}`)).toEqual(
      json(400, { messages: [{ message: `${name} must be an integer of at least 1, got ${value}` }] }),
    );
  });
});
