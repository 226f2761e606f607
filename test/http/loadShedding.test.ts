/** Under overload the gateway rejects requests and stays healthy. */
import { describe, expect, test } from 'vitest';
import { useFaultGateway } from '../support/gateway/faultGateway.js';
import { useGateway } from '../support/gateway/gateway.js';
import { about, success } from '../support/graphql/faultOperations.js';
import { requestError } from '../support/graphql/fieldError.js';
import { validArguments, asVariables } from '../support/graphql/rootFields.js';
import { open } from '../support/http/rawHttp.js';
import { createGate, until } from '../support/tools/waiting.js';
const limitedGateway = useFaultGateway({
  env: { TRUST_PROXY: '1' },
  config: { http: { maxInFlightRequests: 2, maxConnections: 20 } },
});
const sharedGateway = useFaultGateway({
  env: { TRUST_PROXY: '1' },
  config: { http: { maxInFlightRequests: 100, maxConnections: 1000 } },
});
const SUBGRAPH_TOKEN = 'the-token-of-the-supergraph';
const routedGateway = useFaultGateway({
  env: { SUBGRAPH_TOKEN },
  config: { http: { maxInFlightRequests: 4, maxConnections: 40 } },
});
const weighingGateway = useFaultGateway({
  env: { TRUST_PROXY: '1' },
  config: { http: { maxInFlightRequests: 8, maxConnections: 80 } },
});
const delayedGateway = useGateway({ config: { http: { maxEventLoopDelayMs: 100 } } });

const clientOf = (name: string) => ({ token: name, address: name === 'one' ? '192.0.2.1' : '192.0.2.2' });
const mutation = asVariables('trackShipment', validArguments('trackShipment'));

const overloaded = {
  status: 503,
  data: undefined,
  errors: [
    requestError('The gateway is overloaded', {
      code: 'SERVICE_UNAVAILABLE',
      retryable: true,
      retryAfterSeconds: 1,
    }),
  ],
};

async function healthOf({ url }: { url: string }) {
  const [live, ready] = await Promise.all(['/livez', '/readyz'].map((path) => fetch(new URL(path, url))));
  return [live?.status, ready?.status];
}

/** Makes the service hold its responses back, by default all; returns the function that lets them go. */
function holdResponses(
  { service } = limitedGateway,
  isHeld: (subject: string) => boolean = () => true,
): () => void {
  const { opened, open: release } = createGate();
  service.plan = ({ subject }) => (isHeld(subject) ? { kind: 'delay', until: () => opened } : undefined);
  return release;
}

test('rejects requests beyond the limit on those in flight', async () => {
  const { service } = limitedGateway;
  const release = holdResponses();
  const inFlight = ['one', 'other'].map((subject) =>
    limitedGateway.execute(about('notification', subject), clientOf(subject)),
  );
  await until(() => service.requests.length === 2);
  const { headers, status, data, errors } = await limitedGateway.execute(mutation);
  expect({ status, data, errors }).toEqual(overloaded);
  expect(headers['retry-after']).toBe('1');
  expect(await healthOf(limitedGateway)).toEqual([200, 200]);
  expect(service.requests.length).toBe(2);
  release();
  expect((await Promise.all(inFlight)).map(({ data }) => data)).toEqual(
    ['one', 'other'].map((subject) => success('notification', subject).data),
  );
  expect((await limitedGateway.execute(about('notification', 'later'))).errors).toBeUndefined();
});

describe('half of the requests in flight is for one client', () => {
  test.each([
    ['made-up tokens of one address', (index: number) => ({ token: `heavy-${index}`, address: '192.0.2.1' })],
    ['one token at many addresses', (index: number) => ({ token: 'heavy', address: `198.51.100.${index}` })],
  ])('and the rest for others: %s', async (_name, clientOf) => {
    const { service, logLines } = sharedGateway;
    const [sent, logged] = [service.requests.length, logLines.length];
    const release = holdResponses(sharedGateway, (subject) => subject.startsWith('heavy'));
    const newLines = (message: string) => logLines.slice(logged).filter(({ msg }) => msg === message);
    const heavy = Array.from({ length: 60 }, (_, index) =>
      sharedGateway.execute(about('trackShipment', `heavy ${index}`), clientOf(index)),
    );
    await until(() => newLines('Request rejected').length === 10);
    for (let index = 0; index < 38; index += 1) {
      const subject = `light ${index}`;
      const { status, data } = await sharedGateway.execute(about('notification', subject), {
        token: 'light',
        address: '192.0.2.200',
      });
      expect([status, data]).toEqual([200, success('notification', subject).data]);
    }
    release();
    const statuses = (await Promise.all(heavy)).map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array<number>(50).fill(200), ...Array<number>(10).fill(503)]);
    expect(service.requests.length - sent).toBe(50 + 38);
    expect(newLines('Request rejected').map(({ reason }) => reason)).toEqual(
      Array(10).fill('in_flight_requests'),
    );
  });

  test('and a router has all, whose requests come from many clients', async () => {
    const release = holdResponses(routedGateway);
    const options = { headers: { 'x-subgraph-token': SUBGRAPH_TOKEN } };
    const requests = Array.from({ length: 5 }, (_, index) =>
      routedGateway.execute(about('trackShipment', `router ${index}`), options),
    );
    await until(() => routedGateway.service.requests.length === 4);
    release();
    expect((await Promise.all(requests)).filter(({ data }) => data).length).toBe(4);
  });
});

test('a request counts once for each 16 KiB of its body, declared or not, until its response is ready', async () => {
  const { url, service } = weighingGateway;
  const release = holdResponses(weighingGateway);
  const operation = asVariables('trackShipment', validArguments('trackShipment'));
  const body = JSON.stringify({ ...operation, extensions: { padding: 'x'.repeat(50_000) } });
  const send = (sentBody: string | ReadableStream, token: string) =>
    fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        'x-forwarded-for': `${token}.0.2.1`,
      },
      body: sentBody,
      duplex: 'half',
    }).then(({ status }) => status);
  // Four of eight, which are all that one client has.
  const first = send(body, '192');
  await until(() => service.requests.length === 1);
  expect(await send('{"query":"{__typename}"}', '192')).toBe(503);
  expect(await send('{"query":"{__typename}"}', '193')).toBe(200);
  const chunked = () => new Blob([body]).stream(); // as many as a body may have
  const second = send(chunked(), '193');
  await until(() => service.requests.length === 2);
  expect(await send('{"query":"{__typename}"}', '194')).toBe(503);
  release();
  expect(await Promise.all([first, second])).toEqual([200, 200]);
  expect(await send(chunked(), '192')).toBe(200);
});

test('clients that disconnect while their bodies arrive no longer count', async () => {
  const { url } = limitedGateway;
  const head =
    'POST /graphql HTTP/1.1\r\nhost: any\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{';
  const status = async () =>
    (await limitedGateway.execute({ query: '{ __typename }', variables: {} }, { address: '192.0.2.9' }))
      .status;
  const sockets = [0, 1].map(() => open(url));
  for (const [index, socket] of sockets.entries())
    socket.write(head.replace('host: any', `host: any\r\nx-forwarded-for: 192.0.2.${index}`));
  await expect.poll(status).toBe(503);
  for (const socket of sockets) socket.destroy();
  await expect.poll(status).toBe(200);
});

test('rejects requests while the event-loop delay exceeds its limit', async () => {
  const end = performance.now() + 1000;
  while (performance.now() < end);
  await new Promise((resolve) => setTimeout(resolve, 150)); // until the delay has been measured
  const { status, data, errors } = await delayedGateway.execute(mutation.query, { ...mutation });
  expect({ status, data, errors }).toEqual(overloaded);
  expect(delayedGateway.takeCalls()).toEqual([]);
  expect(await healthOf(delayedGateway)).toEqual([200, 200]);
  await expect.poll(async () => (await delayedGateway.execute('{ __typename }')).status).toBe(200);
});
