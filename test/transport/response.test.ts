/** What a body counts for in the memory budget, and details of its text that no service is known to send. */
import { randomBytes } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { MemoryBudget, MemoryShare } from '../../src/transport/memoryBudget.js';
import { notification } from '../support/service/faultServer.js';
import {
  decodeBody,
  jsonOf,
  parseBody,
  readContent,
  type RestResponse,
} from '../../src/transport/response.js';
import { clientNamed } from '../support/service/clientIdentities.js';

const MAX_BYTES = 1_000_000;

function responseOf(body: Buffer | string, headers: RestResponse['headers'] = {}): RestResponse {
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(body),
    hasFraming: true,
    isComplete: true,
  };
}

async function read(
  response: RestResponse,
  { maxBytes = MAX_BYTES, budget = new MemoryBudget(20 * MAX_BYTES) } = {},
): Promise<{ json: unknown; counted: number }> {
  const options = { maxBytes, memory: new MemoryShare(budget, 'response', clientNamed('ann')) };
  const content = readContent(response, await decodeBody(response, options), options);
  return { json: jsonOf(content, response), counted: budget.bytesInFlight };
}

const jsonText = (unit: string, bytes: number) =>
  `[${Array.from({ length: Math.floor(bytes / (unit.length + 1)) }, () => unit).join(',')}]`;

describe('a body counts for', () => {
  test('nothing if it is small', async () => {
    expect((await read(responseOf(jsonText('[]', 32_000)))).counted).toBe(0);
  });

  test('its text if it is flat', async () => {
    const text = JSON.stringify('x'.repeat(100_000));
    expect((await read(responseOf(text))).counted).toBe(text.length);
  });

  test('its text if it is an ordinary list', async () => {
    const row = JSON.stringify(notification('a', 'robin.planner'));
    const text = jsonText(row, 100_000);
    expect((await read(responseOf(text))).counted).toBe(text.length);
  });

  // Beyond one value in 16 bytes, each counts for 32.
  test.each([
    ['empty objects', '{}', 2 / 3],
    ['empty arrays', '[]', 2 / 3],
    ['numbers', '0', 1 / 2],
    ['texts', '"a"', 1 / 4],
    ['objects of one member', '{"aa":0}', 2 / 9],
    ['members of an object', '"aaa":0', 1 / 8],
  ])('more if it is dense: %s', async (_kind, unit, valuesPerByte) => {
    const text = jsonText(unit, 40_000).replace(/^\[(".*":.*)\]$/, '{$1}');
    const { counted } = await read(responseOf(text));
    const expected = text.length * (1 + 32 * (valuesPerByte - 1 / 16));
    expect(Math.abs(counted - expected)).toBeLessThan(0.004 * expected);
  });

  test('what random parts of it suggest, not only its beginning', async () => {
    const flat = JSON.stringify('x'.repeat(8192));
    const text = `[${flat},${jsonText('[]', 800_000)}]`;
    const { counted } = await read(responseOf(text), { budget: new MemoryBudget(50 * MAX_BYTES) });
    expect(counted).toBeGreaterThan(14 * text.length);
    expect(counted).toBeLessThan(21 * text.length);
  });

  test('its text and its compressed form while it is decompressed', async () => {
    const text = JSON.stringify(randomBytes(60_000).toString('base64'));
    const compressed = gzipSync(text);
    const headers = { 'content-encoding': 'gzip' };
    // Bodies may fill half of the budget.
    const budgetFor = (bytes: number) => new MemoryBudget(2 * bytes);
    const enough = budgetFor(text.length + compressed.length);
    expect((await read(responseOf(compressed, headers), { budget: enough })).counted).toBe(text.length);
    const tooSmall = budgetFor(text.length + compressed.length - 1);
    await expect(read(responseOf(compressed, headers), { budget: tooSmall })).rejects.toMatchObject({
      name: 'MemoryBudgetError',
      outcome: 'UNKNOWN',
    });
  });
});

describe('the text of a body', () => {
  test('may begin with a byte order mark', async () => {
    expect((await read(responseOf('\uFEFF{"a":1}'))).json).toEqual({ a: 1 });
    await expect(read(responseOf('{"a":1}\uFEFF'))).rejects.toThrow('The response is not JSON');
  });

  test.each(['utf-8', 'utf-16', 'iso-8859-1', 'no-charset'])(
    'is UTF-8 if it may be, though the type claims %s',
    async (charset) => {
      const response = responseOf('"é€"', { 'content-type': `text/plain; charset=${charset}` });
      expect((await read(response)).json).toBe('é€');
    },
  );

  test.each<[charset: string, body: Buffer, json: string]>([
    ['utf-16', Buffer.from('\uFEFF"é€"', 'utf16le'), 'é€'],
    ['iso-8859-1', Buffer.from('"é"', 'latin1'), 'é'],
    ['"ISO-8859-1"', Buffer.from('"é"', 'latin1'), 'é'],
    ['no-charset', Buffer.from('"é"', 'latin1'), 'é'],
    ['', Buffer.from('"é"', 'latin1'), 'é'],
    ['utf-8', Buffer.concat([Buffer.from('"é'), Buffer.from('é"', 'latin1')]), 'éé'],
  ])(
    'that is not UTF-8 is in the charset "%s" of its type, or else in windows-1252',
    async (charset, body, json) => {
      const response = responseOf(body, { 'content-type': `application/json;charset=${charset}` });
      expect((await read(response)).json).toBe(json);
    },
  );

  test('may be blank', async () => {
    expect((await read(responseOf(' \r\n\t'))).json).toBeUndefined();
  });

  test('may have exactly the maximum size when it is decompressed', async () => {
    const text = JSON.stringify('x'.repeat(100));
    const response = responseOf(gzipSync(text), { 'content-encoding': 'gzip' });
    expect((await read(response, { maxBytes: text.length })).json).toHaveLength(100);
    await expect(read(response, { maxBytes: text.length - 1 })).rejects.toThrow('too large');
  });
});

describe('a compressed body that ends too early', () => {
  const cut = responseOf(brotliCompressSync('"text"').subarray(0, -3), { 'content-encoding': 'br' });

  test('was lost with its connection if its length was not known', async () => {
    await expect(read({ ...cut, hasFraming: false })).rejects.toMatchObject({
      name: 'ServiceFailureError',
      message: 'The connection to the service was lost during the response',
    });
  });

  test('is read as it is, whatever its length, if it is text that is not compressed at all', async () => {
    const { body } = responseOf('"text"');
    expect((await read({ ...cut, body, hasFraming: false })).json).toBe('text');
  });
});

test('the error of a body that violates the contract names its first five places by JSON Pointer', () => {
  const schema = z.record(z.string(), z.number());
  const body = { 'a/b~c': 'x', b: 'x', c: 'x', d: 'x', e: 'x', f: 'x' };
  const problem = 'expected a number, got a string';
  expect(() => parseBody(schema, body, 200)).toThrow(
    expect.objectContaining({
      status: 200,
      message: `The response does not match the contract: ${['/a~1b~0c', '/b', '/c', '/d', '/e'].map((place) => `${place}: ${problem}`).join('; ')}`,
    }),
  );
  expect(() => parseBody(schema, 1, 200)).toThrow('the whole body: ');
});
