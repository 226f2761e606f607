/** Under overload the gateway rejects requests and stays healthy. */
import { describe, expect, test } from 'vitest';
import { useFaultGateway, type GatewayResponse } from '../support/gateway/faultGateway.js';
import { TOKEN, useGateway } from '../support/gateway/gateway.js';
import { about, success } from '../support/graphql/faultOperations.js';
import { validArguments, asVariables } from '../support/graphql/rootFields.js';
import { open, parseResponses, postOf, textOf } from '../support/http/rawHttp.js';
import { scrape } from '../support/telemetry/metrics.js';
import { freePort } from '../support/tools/freePort.js';
import { createGate, until } from '../support/tools/waiting.js';
const limitedGateway = useFaultGateway({ env: { MAX_IN_FLIGHT_REQUESTS: '2', TRUST_PROXY: '1' } });
const sharedGateway = useFaultGateway({ env: { MAX_IN_FLIGHT_REQUESTS: '100', TRUST_PROXY: '1' } });
let metricsUrl = '';
const queueingGateway = useFaultGateway(async () => {
  const METRICS_PORT = String(await freePort());
  metricsUrl = `http://127.0.0.1:${METRICS_PORT}/metrics`;
  return { env: { MAX_IN_FLIGHT_REQUESTS: '2', SERVICE_CONNECTIONS: '1', TRUST_PROXY: '1', METRICS_PORT } };
});
const delayedGateway = useGateway({ config: { http: { maxEventLoopDelayMs: 100 } } });

const mutation = asVariables('trackShipment', validArguments('trackShipment'));

const overloaded = {
  status: 503,
  data: undefined,
  errors: [
    {
      message: 'The gateway is overloaded',
      extensions: {
        code: 'SERVICE_UNAVAILABLE',
        outcome: 'NOT_APPLIED',
        retryable: true,
        retryAfterSeconds: 1,
        requestId: expect.any(String) as unknown,
      },
    },
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

test('rejects requests beyond MAX_IN_FLIGHT_REQUESTS', async () => {
  const { service } = limitedGateway;
  const release = holdResponses();
  const inFlight = ['one', 'other'].map((subject) => limitedGateway.execute(about('notification', subject)));
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

const resultOf = ({ status, data, errors }: GatewayResponse) => ({ status, data, errors });
const served = (field: 'notification' | 'trackShipment', subject: string) => ({
  status: 200,
  ...success(field, subject),
});
const heavy = { token: 'heavy', address: '192.0.2.1' };
const light = { token: 'light', address: '192.0.2.2' };

describe('at MAX_IN_FLIGHT_REQUESTS, the client with the most requests makes room', () => {
  test.each([
    [
      'made-up tokens of one address',
      (index: number) => ({ token: `heavy-${index % 2}`, address: '192.0.2.1' }),
    ],
    ['one token at many addresses', (index: number) => ({ token: 'heavy', address: `198.51.100.${index}` })],
  ])('for every read of another client: %s', async (_name, clientOf) => {
    const { service, logLines } = sharedGateway;
    const [sent, logged] = [service.requests.length, logLines.length];
    const release = holdResponses(sharedGateway, (subject) => subject === 'heavy');
    const read = (index: number) => sharedGateway.execute(about('notification', 'heavy'), clientOf(index));
    const heavy = Array.from({ length: 99 }, (_, index) => read(index));
    const newLines = (message: string) => logLines.slice(logged).filter(({ msg }) => msg === message);
    const calls = () => service.requests.slice(sent).map(({ subject }) => subject);
    const areInFlight = (count: number) => () =>
      calls().length + newLines('REST call deduplicated').length === count;
    await until(areInFlight(99));
    heavy.push(read(99));
    await until(areInFlight(100));
    const shared = calls().length;

    const subjects = Array.from({ length: 38 }, (_, index) => `light ${index}`);
    for (const subject of subjects) {
      const response = await sharedGateway.execute(about('notification', subject), light);
      expect(resultOf(response)).toEqual(served('notification', subject));
    }
    release();
    const outcomes = (await Promise.all(heavy)).map(resultOf);
    // The newest one makes room.
    expect(outcomes).toEqual([...Array<object>(99).fill(served('notification', 'heavy')), overloaded]);
    expect(calls().toSorted()).toEqual([...Array<string>(shared).fill('heavy'), ...subjects].toSorted());
    expect(newLines('Request rejected').map(({ reason }) => reason)).toEqual(['in_flight_requests']);
    expect(newLines('Client disconnected before the response')).toEqual([]);
  });

  test('with a write that waits for a connection, which is never sent', async () => {
    const { service } = queueingGateway;
    const release = holdResponses(queueingGateway);
    const sent = queueingGateway.execute(about('trackShipment', 'sent'), heavy);
    await until(() => service.requests.length === 1);
    const queued = queueingGateway.execute(about('trackShipment', 'queued'), heavy);
    await until(
      async () =>
        (await scrape(metricsUrl))[
          `shipment_gateway_rest_queue_length{server_address="127.0.0.1",server_port="${new URL(service.url).port}"}`
        ] === 1,
    );
    const read = queueingGateway.execute(about('notification', 'read'), light);
    expect(resultOf(await queued)).toEqual(overloaded);
    release();
    expect((await Promise.all([sent, read])).map(resultOf)).toEqual([
      served('trackShipment', 'sent'),
      served('notification', 'read'),
    ]);
    expect(service.requests.map(({ subject }) => subject)).toEqual(['sent', 'read']);
  });

  test('but not with a write that may have been sent', async () => {
    const { service } = limitedGateway;
    const sent = service.requests.length;
    const release = holdResponses();
    const writes = ['one', 'other'].map((subject) =>
      limitedGateway.execute(about('trackShipment', subject), heavy),
    );
    await until(() => service.requests.length === sent + 2);
    expect(resultOf(await limitedGateway.execute(about('notification', 'read'), light))).toEqual(overloaded);
    release();
    expect((await Promise.all(writes)).map(resultOf)).toEqual(
      ['one', 'other'].map((subject) => served('trackShipment', subject)),
    );
    expect(service.requests.length).toBe(sent + 2);
  });
});

test('does not count responses that wait behind a slow one on their connection', async () => {
  const { service } = limitedGateway;
  const sent = service.requests.length;
  const release = holdResponses();
  const socket = open(limitedGateway.url);
  const received = textOf(socket);
  const waiting = postOf('{ __typename }').repeat(9) + postOf('{ __typename }', ['connection: close']);
  const slow = postOf('{ notifications { messages } }', [`authorization: Bearer ${TOKEN}`]);
  socket.write(slow + waiting);
  await until(() => service.requests.length === sent + 1);
  const { status } = await limitedGateway.execute({ query: '{ __typename }', variables: {} });
  expect(status).toBe(200);
  release();
  const responses = parseResponses(await received);
  expect(responses.map((response) => response.status)).toEqual(Array<number>(11).fill(200));
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
