import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { type Fault, type MockService, startMockService } from '../../src/mock/mockService.js';
import { createGate, until } from '../support/tools/waiting.js';
import { json, send, token } from './client.js';

const PATH = '/v1/customnotifications/unknown';
const realResponse = json(404, { messages: [{ message: 'There is no notification unknown.' }] });

let service: MockService;
afterEach(() => service.stop());

describe('every call is recorded as received', () => {
  test('with its raw path, query and body, even if it is rejected or gets a fault', async () => {
    service = await startMockService({
      faultFor: ({ path }) => (path === '/hang' ? { disconnect: 'beforeResponse' } : {}),
    });
    await sendRaw('POST', '/v1/../%2e/%zz?a=%20b&a=?', '{ "not": json }', { 'X-Test': 'one' });
    await expect(sendRaw('PUT', '/hang', '\u20ac', {})).rejects.toThrow('socket hang up');
    await sendRaw('GET', '/v1/customnotifications', '', {});

    const host = service.url.slice('http://'.length);
    const connection = 'keep-alive';
    expect(service.calls).toEqual([
      {
        method: 'POST',
        path: '/v1/../%2e/%zz',
        query: 'a=%20b&a=?',
        headers: { host, connection, 'x-test': 'one', 'content-length': '15' },
        body: '{ "not": json }',
      },
      {
        method: 'PUT',
        path: '/hang',
        query: '',
        headers: { host, connection, 'content-length': '3' },
        body: '\u20ac',
      },
      { method: 'GET', path: '/v1/customnotifications', query: '', headers: { host, connection }, body: '' },
    ]);
  });

  test('before faultFor is called', async () => {
    const recorded: unknown[] = [];
    service = await startMockService({
      faultFor: (call) => {
        recorded.push(call, service.calls.at(-1));
        return undefined;
      },
    });
    expect(await send(service, 'GET', PATH)).toEqual(realResponse);
    expect(recorded).toEqual([service.calls[0], service.calls[0]]);
  });
});

describe('the response is replaced', () => {
  test('by a status without a body', async () => {
    await startWith({ status: 503 });
    expect(await send(service, 'GET', PATH)).toEqual({
      status: 503,
      type: 'application/json',
      body: undefined,
    });
  });

  test('by a body, sent with status 200 unless the fault sets another', async () => {
    await startWith({ body: Buffer.from('{"any":"thing"}') });
    expect(await send(service, 'GET', '/any/path')).toEqual({
      status: 200,
      type: 'application/json',
      body: { any: 'thing' },
    });
  });

  test('by a status, headers and a body that is not JSON', async () => {
    await startWith({
      status: 429,
      headers: { 'Retry-After': '7', 'Content-Type': 'text/html' },
      body: '<p>',
    });
    const response = await fetch(service.url + PATH);
    expect([
      response.status,
      response.headers.get('retry-after'),
      response.headers.get('content-type'),
    ]).toEqual([429, '7', 'text/html']);
    expect(await response.text()).toBe('<p>');
  });

  test('without executing the operation', async () => {
    service = await startMockService({
      faultFor: ({ method }) => (method === 'DELETE' ? { status: 500 } : undefined),
    });
    const list = await send(service, 'GET', '/v1/customnotifications');
    const [first] = (list.body as { data: [{ notificationGuid: string }] }).data;
    await send(service, 'DELETE', `/v1/customnotifications/${first.notificationGuid}`);
    expect(await send(service, 'GET', '/v1/customnotifications')).toEqual(list);
  });
});

describe('the real response', () => {
  test('is delayed by delayMs', async () => {
    await startWith({ delayMs: 80 });
    const start = performance.now();
    expect(await send(service, 'GET', PATH)).toEqual(realResponse);
    expect(performance.now() - start).toBeGreaterThan(75);
  });

  test('is held until the promise of heldUntil resolves', async () => {
    const { opened, open } = createGate();
    service = await startMockService({
      faultFor: ({ path }) => (path === PATH ? { heldUntil: opened } : undefined),
    });
    const order: string[] = [];
    const held = send(service, 'GET', PATH).then((response) => {
      order.push('held');
      return response;
    });
    await until(() => service.calls.length === 1);
    await send(service, 'GET', '/v1/customnotifications');
    order.push('another');
    open();
    expect(await held).toEqual(realResponse);
    expect(order).toEqual(['another', 'held']);
  });

  test('carries the headers of a fault without status or body', async () => {
    await startWith({ headers: { 'retry-after': '3' } });
    const response = await fetch(service.url + PATH, { headers: token });
    expect([response.status, response.headers.get('retry-after')]).toEqual([404, '3']);
    expect(await response.json()).toEqual(realResponse.body);
  });
});

describe('the connection is destroyed', () => {
  test('before the response', async () => {
    await startWith({ disconnect: 'beforeResponse' });
    await expect(sendRaw('GET', PATH, '', {})).rejects.toThrow('socket hang up');
  });

  test('in the middle of the body', async () => {
    await startWith({ disconnect: 'midBody', status: 201, body: '0123456789' });
    const response = await sendRaw('GET', PATH, '', {});
    expect([response.statusCode, response.headers['content-length']]).toEqual([201, '10']);
    let received = '';
    response.on('data', (chunk: Buffer) => (received += chunk.toString()));
    const [error] = (await once(response, 'error')) as [Error];
    expect([received, error.message]).toEqual(['01234', 'aborted']);
  });
});

describe('stop closes the service immediately', () => {
  test.each<[string, Fault]>([
    ['while a call gets no response', { neverRespond: true }],
    ['while a response is delayed', { delayMs: 60_000 }],
    ['while a response is held', { heldUntil: new Promise(() => undefined) }],
  ])('%s', async (_name, fault) => {
    await startWith(fault);
    const disconnect = expect(sendRaw('GET', PATH, '', {})).rejects.toThrow('socket hang up');
    await until(() => service.calls.length === 1);
    await service.stop();
    await disconnect;
  });

  test('while an idle connection is open', async () => {
    service = await startMockService();
    await send(service, 'GET', PATH);
    await service.stop();
    await expect(fetch(service.url)).rejects.toThrow('fetch failed');
  });
});

async function startWith(fault: Fault): Promise<void> {
  service = await startMockService({ faultFor: () => fault });
}

/** Unlike fetch, neither normalizes the path nor adds headers. */
async function sendRaw(method: string, path: string, body: string, headers: Record<string, string>) {
  const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) };
  const outgoing = request(service.url, { method, path, headers: { ...headers, ...length } });
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject);
  });
  outgoing.end(body);
  return response;
}
