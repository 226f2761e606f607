/** Details of the text of a body that no service is known to send. */
import { brotliCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { describeIssues } from '../../src/freight/contract.js';
import { decodeBody, jsonOf, readContent, type RestResponse } from '../../src/transport/response.js';
import { memoryOf } from '../support/service/responseMemory.js';

function responseOf(body: Buffer | string, headers: RestResponse['headers'] = {}): RestResponse {
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(body),
    hasFraming: true,
    isComplete: true,
  };
}

async function read(response: RestResponse): Promise<{ json: unknown }> {
  const options = { maxResponseBytes: 1_000_000, memory: memoryOf() };
  const content = readContent(response, await decodeBody(response, options));
  return { json: jsonOf(content, response) };
}

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

test('the issues of a body that violates the contract are the first five, at a JSON Pointer each', () => {
  const schema = z.record(z.string(), z.number());
  const issuesOf = (body: unknown) => describeIssues(schema.safeParse(body).error?.issues ?? []);
  const problem = 'expected a number, got a string';
  expect(issuesOf({ 'a/b~c': 'x', b: 'x', c: 'x', d: 'x', e: 'x', f: 'x' })).toBe(
    ['/a~1b~0c', '/b', '/c', '/d', '/e'].map((place) => `${place}: ${problem}`).join('; '),
  );
  expect(issuesOf(1)).toMatch(/^the whole body: /);
});
