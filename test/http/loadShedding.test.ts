/** Under overload the gateway rejects requests and stays healthy. */
import { expect, test } from 'vitest';
import { useFaultGateway } from '../support/gateway/faultGateway.js';
import { TOKEN, useGateway } from '../support/gateway/gateway.js';
import { about, success } from '../support/graphql/faultOperations.js';
import { validArguments, asVariables } from '../support/graphql/rootFields.js';
import { open, parseResponses, postOf, textOf } from '../support/http/rawHttp.js';
import { createGate, until } from '../support/tools/waiting.js';
const limitedGateway = useFaultGateway({ env: { MAX_IN_FLIGHT_REQUESTS: '2' } });
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

/** Makes the service hold its responses back; returns the function that lets them go. */
function holdResponses(): () => void {
  const { opened, open: release } = createGate();
  limitedGateway.service.plan = () => ({ kind: 'delay', until: () => opened });
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
