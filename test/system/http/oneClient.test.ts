/**
 * One client that misbehaves, without a proxy in front: the process lives, and another client is served all the while. What fills
 * memory is in test/system/faults/memoryLimit.test.ts, and what is slow in test/http/connections.test.ts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { bulkOperation, itemAbout } from '../../support/graphql/bulkFields.js';
import { creations, phones, recipientOf, repeat } from '../../support/graphql/creations.js';
import { about, success } from '../../support/graphql/faultOperations.js';
import type { Operation } from '../../support/graphql/rootFields.js';
import { createOtherClient, type OtherClient } from '../../support/http/otherClient.js';
import { open, parseResponses, textOf } from '../../support/http/rawHttp.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/process/gatewayProcess.js';
import { productionEnv } from '../../support/process/minimalEnv.js';
import { HEAP_PROBE } from '../../support/process/probes.js';
import { startFaultServer } from '../../support/service/faultServer.js';
import { createGate, until } from '../../support/tools/waiting.js';
import { useStarted } from '../../support/tools/useStarted.js';

/** In use after a garbage collection. */
const MAX_IDLE_HEAP_BYTES = 60_000_000;
/** Half of the requests in flight. */
const MAX_OF_CLIENT = 500;

const service = useStarted(startFaultServer);
let gateway: GatewayProcess;
let origin = '';
let other: OtherClient;
beforeAll(async () => {
  gateway = startGatewayProcess({
    env: { ...productionEnv, SERVICE_URL: service.url, SERVICE_TIMEOUT_MS: '60000' },
    probe: HEAP_PROBE,
    nodeOptions: ['--expose-gc'],
  });
  origin = await gateway.listening();
  other = createOtherClient(origin);
});
afterAll(async () => {
  await other.close();
  await gateway.stop();
});
afterEach(async () => {
  expect(gateway.child.exitCode).toBeNull();
  expect(await gateway.ask('heap')).toBeLessThan(MAX_IDLE_HEAP_BYTES);
});

interface Response {
  status: number;
  data: unknown;
  errors: { extensions: { code: string; outcome: string } }[] | undefined;
}

/** Sends an operation on a new connection. */
async function send(operation: Operation, token: string): Promise<Response> {
  const body = JSON.stringify(operation);
  const head = [
    'POST /graphql HTTP/1.1',
    'host: gateway',
    'connection: close',
    'content-type: application/json',
    `authorization: Bearer ${token}`,
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  const socket = open(origin);
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  const [response] = parseResponses(await textOf(socket));
  const { data, errors } = JSON.parse(response?.body ?? '{}') as Pick<Response, 'data' | 'errors'>;
  return { status: response?.status ?? 0, data, errors };
}

const callsOf = (start: string) => service.requests.filter(({ subject }) => subject.startsWith(start));
const codeOf = ({ errors }: Response) => errors?.[0]?.extensions.code;

test('1,000 equal reads at once are one REST call for as many as one client may have in flight', async () => {
  const gate = createGate();
  service.plan = ({ subject }) =>
    subject === 'equal' ? { kind: 'delay', until: () => gate.opened } : undefined;
  let rejected = 0;
  const read = async () => {
    const response = await send(about('notification', 'equal'), 'equal');
    if (response.status === 503) rejected += 1;
    return response;
  };
  const attack = Promise.all(Array.from({ length: 2 * MAX_OF_CLIENT }, read));
  const responses = await other.isServedDuring(
    until(() => rejected === MAX_OF_CLIENT).then(() => {
      gate.open();
      return attack;
    }),
  );
  const served = responses.filter(({ status }) => status === 200);
  const { data } = success('notification', 'equal');
  expect(served).toEqual(Array(MAX_OF_CLIENT).fill({ status: 200, data, errors: undefined }));
  expect(callsOf('equal')).toHaveLength(1);
});

const members = Object.fromEntries(repeat(20_000, (index) => `k${index}`).map((name) => [name, 1]));

test.each<[what: string, operation: Operation, code: string | undefined]>([
  [
    'lists of 500 invalid rows',
    bulkOperation('trackShipments', Array<object>(500).fill(itemAbout('trackShipment', ' '))),
    undefined,
  ],
  [
    '10 × 1,000 phone numbers',
    creations(10, { recipient: recipientOf({ smsList: phones(1000) }) }),
    'QUERY_TOO_COMPLEX',
  ],
  ['10 filters with 20,000 members', creations(10, { filters: [members] }), 'QUERY_TOO_COMPLEX'],
  ['10 inputs with 20,000 unknown fields', creations(10, members), 'QUERY_TOO_COMPLEX'],
  [
    '50 lists of 60,000 identifiers',
    {
      query: `query ($guids: [ID!]!) { ${repeat(50, (index) => `a${index}: notificationsByGuid(notificationGuids: $guids) { filters }`).join(' ')} }`,
      variables: { guids: Array(60_000).fill('a') },
    },
    'QUERY_TOO_COMPLEX',
  ],
])('%s, four times a second, of which nothing is sent', async (_what, operation, code) => {
  const before = service.requests.length;
  const responses = await other.isServedDuring(
    Promise.all(
      Array.from({ length: 4 }, async (_, index) => {
        await sleep(index * 250);
        return send(operation, 'invalid');
      }),
    ),
  );
  expect(new Set(responses.map(codeOf))).toEqual(new Set([code]));
  const sent = service.requests.slice(before).map(({ subject }) => subject);
  expect(sent.filter((subject) => !subject.startsWith('other'))).toEqual([]);
});

test('made-up tokens, a new one in each of 1,800 requests, while the service is slow', async () => {
  service.plan = ({ subject }) =>
    subject.startsWith('made up')
      ? { kind: 'delay', until: () => sleep(500), then: { kind: 'respond', status: 401, body: '{}' } }
      : undefined;
  const attack = async () => {
    const codes: (string | undefined)[] = [];
    for (let round = 0; round < 3; round += 1) {
      const responses = Array.from({ length: 600 }, (_, index) =>
        send(about('notification', `made up ${round} ${index}`), `made-up-${round}-${index}`),
      );
      codes.push(...(await Promise.all(responses)).map(codeOf));
    }
    return codes;
  };
  const codes = await other.isServedDuring(attack());
  expect(new Set(codes)).toEqual(new Set(['UNAUTHENTICATED', 'SERVICE_UNAVAILABLE']));
});
