/** Interim responses of the service (RFC 9110 §15.2): whoever did not ask for them has to skip them. */
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { startInProcessGateway } from '../support/gateway/inProcessGateway.js';
import { fieldError } from '../support/graphql/fieldError.js';
import { asVariables, SEED_GUID, validArguments } from '../support/graphql/rootFields.js';
import { post } from '../support/http/post.js';
import { serve } from '../support/http/serve.js';
import { notification } from '../support/service/faultServer.js';
import { useStarted } from '../support/tools/useStarted.js';

/** What the service sends in response to each request; with an empty packet, it closes the connection. */
let packets: string[];
const requests: string[] = [];
const service = useStarted(() =>
  serve(
    createServer((socket) => {
      socket.setNoDelay();
      const respond = async (request: string) => {
        requests.push(request);
        for (const packet of packets) {
          if (packet === '') socket.end();
          else socket.write(packet);
          await sleep(10);
        }
      };
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => void respond(bytes.toString().split(' HTTP', 1)[0] ?? ''));
    }),
  ),
);
const gateway = useStarted(() => startInProcessGateway(service, { config: { service: { retries: 0 } } }));
beforeEach(() => {
  requests.length = 0;
});

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const PROCESSING = 'HTTP/1.1 102 Processing\r\ncontent-length: 999999\r\n\r\n';
const EARLY_HINTS =
  'HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\ncontent-type: text/html\r\n\r\n';
const finalOf = (body: string) =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
const READ = `{ notification(notificationGuid: "${SEED_GUID}") { notificationName } }`;
const { query: TRACK, variables } = asVariables('trackShipment', validArguments('trackShipment'));
const found = JSON.stringify({
  data: [notification(SEED_GUID, 'robin')],
  messages: [],
  totalPossibleCount: 1,
});

test.each<[what: string, interim: string[]]>([
  ['100', [CONTINUE]],
  ['100 with headers', ['HTTP/1.1 100 Continue\r\nserver: any\r\nconnection: keep-alive\r\n\r\n']],
  ['100 in pieces', Array.from(CONTINUE)],
  ['102', [PROCESSING]],
  ['103', [EARLY_HINTS]],
  ['199', ['HTTP/1.1 199 Any\r\n\r\n']],
  ['100 three times', [CONTINUE, CONTINUE, CONTINUE]],
  ['102, 100 and 103', [PROCESSING, CONTINUE + EARLY_HINTS]],
])('an unasked %s is skipped, in the packet of the response and before it', async (_what, interim) => {
  for (const join of [(all: string[]) => all, (all: string[]) => [all.join('')]]) {
    // The second call uses the connection of the first.
    for (const body of [found, found]) {
      packets = join([...interim, finalOf(body)]);
      const { data, errors } = await post(gateway.url, { query: READ });
      expect({ data, errors }).toEqual({
        data: { notification: { notificationName: `About ${SEED_GUID}` } },
        errors: undefined,
      });
    }
    packets = join([...interim, finalOf('true')]);
    const { data, errors } = await post(gateway.url, { query: TRACK, variables });
    expect({ data, errors }).toEqual({ data: { trackShipment: { tracked: true } }, errors: undefined });
  }
  const calls = ['GET', 'GET', 'POST'];
  expect(requests.map((request) => request.split(' ')[0])).toEqual([...calls, ...calls]);
});

test.each([
  ['the connection is lost after a 100', CONTINUE],
  ['the response is 101', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: any\r\n\r\n'],
])('the outcome of a write is unknown if %s', async (_what, interim) => {
  packets = [interim, ''];
  const { data, errors } = await post(gateway.url, { query: TRACK, variables });
  expect({ data, errors }).toEqual({
    data: { trackShipment: null },
    errors: [
      fieldError(TRACK, ['trackShipment'], 'The connection to the service was lost', {
        code: 'SERVICE_ERROR',
        outcome: 'UNKNOWN',
        retryable: false,
      }),
    ],
  });
  expect(requests).toHaveLength(1);
});
