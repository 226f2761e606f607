/**
 * What follows on a connection after a response with `Connection: close` is not processed (RFC 9112 §9.6), and what is processed gets
 * its response: a mutation that was applied without one would be repeated.
 */
import { once } from 'node:events';
import { setImmediate as tickEnd, setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startFaultGateway, useFaultGateway } from '../support/gateway/faultGateway.js';
import { about, success } from '../support/graphql/faultOperations.js';
import { open, parseResponses, textOf } from '../support/http/rawHttp.js';
import { createGate, until } from '../support/tools/waiting.js';

const gateways = {
  ordinary: useFaultGateway({ config: { http: { keepAliveTimeoutMs: 200 } } }),
  small: useFaultGateway({ config: { http: { keepAliveTimeoutMs: 200, maxBodyBytes: 2000 } } }),
  impatient: useFaultGateway({
    config: { http: { keepAliveTimeoutMs: 200, headersTimeoutMs: 300, requestTimeoutMs: 600 } },
  }),
};

const post = (headers: readonly string[], body: string | Buffer = '') =>
  Buffer.concat([
    Buffer.from(
      ['POST /graphql HTTP/1.1', 'host: gateway', 'authorization: Bearer any', ...headers, '', ''].join(
        '\r\n',
      ),
    ),
    Buffer.from(body),
  ]);
const json = 'content-type: application/json';
const postJson = (body: string | Buffer, ...headers: string[]) =>
  post([json, `content-length: ${Buffer.byteLength(body)}`, ...headers], body);
const postChunks = (chunks: string) => post([json, 'transfer-encoding: chunked'], chunks);
const mutation = (subject: string) => postJson(JSON.stringify(about('trackShipment', subject)));

interface Case {
  /** What comes before the mutation. */
  bytes: Buffer;
  /** What comes once there is a response, or the connection has waited for one; then the mutation. @default nothing */
  rest?: Buffer;
  status: number;
  /** @default 'ordinary' */
  at?: keyof typeof gateways;
}

const query = postJson('{"query":"{__typename}"}');
const large = Buffer.alloc(3000, '{');

const cases: Record<string, Case> = {
  'a body that is not JSON': { bytes: postJson('{'), status: 400 },
  'a compressed body': { bytes: postJson(gzipSync('{}'), 'content-encoding: gzip'), status: 415 },
  'a body with an unknown encoding': { bytes: postJson('??', 'content-encoding: any'), status: 400 },
  'a body of another type': {
    bytes: post(['content-type: text/plain', 'content-length: 2'], '{}'),
    status: 415,
  },
  'a body that is declared to be too large': {
    bytes: postJson(large),
    status: 413,
    at: 'small',
  },
  'a body of which a part is too large': {
    bytes: post([json, `content-length: ${large.length}`], '{'),
    rest: large.subarray(1),
    status: 413,
    at: 'small',
  },
  'chunks that are too large': {
    bytes: postChunks(`bb8\r\n${large.toString()}\r\n0\r\n\r\n`),
    status: 413,
    at: 'small',
  },
  'broken chunks': { bytes: postChunks('2\r\n{}\r\nx\r\n'), status: 400 },
  'a body that does not arrive in time': {
    bytes: mutation('late').subarray(0, -5),
    rest: mutation('late').subarray(-5),
    status: 408,
    at: 'impatient',
  },
  'bytes that are not HTTP': { bytes: Buffer.from('\0\0'), status: 400 },
  'headers that are too large': { bytes: post([`x: ${'x'.repeat(17_000)}`]), status: 431 },
  'a request with Connection: close': {
    bytes: postJson('{"query":"{__typename}"}', 'connection: close'),
    status: 200,
  },
  'a request of HTTP/1.0': {
    bytes: Buffer.from(query.toString().replace('HTTP/1.1', 'HTTP/1.0')),
    status: 200,
  },
  'an unknown path': { bytes: Buffer.from(query.toString().replace('/graphql', '/other')), status: 404 },
  'an invalid path': { bytes: Buffer.from('GET /%ff HTTP/1.1\r\nhost: gateway\r\n\r\n'), status: 400 },
};

describe.each(Object.entries(cases))(
  'after %s',
  (what, { bytes, rest = Buffer.alloc(0), status, at = 'ordinary' }) => {
    test.concurrent.each([
      ['in the same packet', 'joined'],
      ['in the next packet', 'next'],
      ['when the response has arrived', 'later'],
    ])(
      'a mutation %s is applied only if its response comes, and no response after one with close',
      async (_when, timing) => {
        const gateway = gateways[at];
        const behind = `behind ${what}, ${timing}`;
        const subjects = ['late', behind];
        const socket = open(gateway.url);
        await once(socket, 'connect');
        const text = textOf(socket);
        if (timing === 'joined' && rest.length === 0) socket.write(Buffer.concat([bytes, mutation(behind)]));
        else if (timing === 'next' && rest.length === 0) {
          socket.setNoDelay().write(bytes);
          await tickEnd(); // the gateway may have read the bytes, and be about to respond
          socket.write(mutation(behind));
        } else {
          socket.write(bytes);
          await once(socket, 'data');
          socket.write(Buffer.concat([rest, mutation(behind)]));
        }
        const responses = parseResponses(await text);
        await gateway.execute(about('deleteException', 'afterwards')); // by then, what was processed has been received
        const applied = gateway.service.requests
          .map(({ subject }) => subject)
          .filter((subject) => subjects.includes(subject));

        expect(responses[0]?.status).toBe(status);
        const isClose = responses.map(({ headers }) => headers['connection'] === 'close');
        expect(isClose.slice(0, -1)).not.toContain(true);
        const [, ...bodies] = responses.map(({ body }) => JSON.parse(body) as unknown);
        expect(bodies).toEqual(applied.map((subject) => ({ data: success('trackShipment', subject).data })));
      },
    );
  },
);

test.each([
  ['in order', ['first', 'second', 'third']],
  ['in reverse order', ['third', 'second', 'first']],
])(
  'pipelined mutations in flight when a shutdown begins get their responses if they end %s',
  async (_order, order) => {
    const gateway = await startFaultGateway();
    const gates = new Map(order.toSorted().map((subject) => [subject, createGate()]));
    const opened = Promise.resolve();
    gateway.service.plan = ({ subject }) => ({
      kind: 'delay',
      until: () => gates.get(subject)?.opened ?? opened,
    });
    const socket = open(gateway.url);
    const text = textOf(socket);
    for (const subject of ['first', 'second', 'third']) socket.write(mutation(subject));
    await until(() => gateway.service.requests.length === 3);
    const stopped = gateway.stop();
    const isRefused = () =>
      fetch(gateway.url).then(
        () => false,
        () => true,
      );
    await until(isRefused);
    for (const subject of order) {
      gates.get(subject)?.open();
      await sleep(50); // until the gateway has made the response
      if (subject === order[0]) socket.write(mutation('behind'));
    }
    const responses = parseResponses(await text);
    await stopped;
    const applied = gateway.service.requests.map(({ subject }) => subject);
    expect(
      responses.map(({ headers, body }) => [headers['connection'], JSON.parse(body) as unknown]),
    ).toEqual(
      applied.map((subject, index) => [
        index === applied.length - 1 ? 'close' : 'keep-alive',
        { data: success('trackShipment', subject).data },
      ]),
    );
  },
);
