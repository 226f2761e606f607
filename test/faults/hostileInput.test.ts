/** Identifiers and tokens of any characters: none escapes its path segment or injects bytes into a header. */
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import pMap from 'p-map';
import { expect, test, vi } from 'vitest';
import { cleanText } from '../../src/domain/text.js';
import { useFaultGateway } from '../support/gateway/faultGateway.js';
import { about } from '../support/graphql/faultOperations.js';
import { anyCharacter } from '../support/tools/anyCharacter.js';
import { seededRandom } from '../support/tools/seededRandom.js';
import { sizes } from '../support/tools/scale.js';

vi.setConfig({ testTimeout: sizes.testTimeoutMs, hookTimeout: sizes.testTimeoutMs });

const BATCH = 100;
const gateway = useFaultGateway();

/** Strings of any characters, and strings composed of pieces that are special in paths, URLs and headers. */
function hostileText(pieces: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((parts) => parts.join('')),
    fc.string({ unit: anyCharacter, maxLength: 12 }),
    fc.string({ unit: 'binary-ascii', maxLength: 12 }),
    fc.string({ maxLength: 40 }),
  );
}

const { seed } = seededRandom('hostile input');

test('every identifier becomes one path segment or is rejected', async () => {
  const identifier = fc.oneof(
    fc.uuid(),
    // oxfmt-ignore
    hostileText([
        '.', '..', '/', '\\', '%', '%2e', '%2E%2e', '%2f', '%5c', '%00', '?', '#', '&', '=', ';', '@', ':', '//', '+', '$&', '$1', '*',
        'v1', '{notificationGuid}', 'http://elsewhere.test', '\r\n', '\0', ' ', '\t', '\u007f', '\u0085', '\ud800', '\udc00', '\u202e',
        '．', '／', '\u2028', 'é', '🚚', '"', '<', '|', '^', '`',
      ]),
  );
  const aliases = Array.from({ length: BATCH }, (_, index) => `n${index}`);
  const query = `query (${aliases.map((alias) => `$${alias}: ID!`).join(' ')}) { ${aliases
    .map((alias) => `${alias}: notification(notificationGuid: $${alias}) { notificationGuid }`)
    .join(' ')} }`;
  const mayBeSent = (id: string) =>
    id.trim() !== '' &&
    id !== '.' &&
    id !== '..' &&
    id.isWellFormed() &&
    !/[/\\\p{Cc}\p{Zl}\p{Zp}]/u.test(id);
  let sentCount = 0;

  await fc.assert(
    fc.asyncProperty(fc.array(identifier, { minLength: BATCH, maxLength: BATCH }), async (ids) => {
      const { service } = gateway;
      const sentBefore = service.requests.length;
      const variables = Object.fromEntries(aliases.map((alias, index) => [alias, ids[index]]));
      const { data, errors } = await gateway.execute({ query, variables });
      const cleaned = ids.map(cleanText);
      const rejected = aliases.filter((_, index) => !mayBeSent(cleaned[index] ?? ''));
      expect(data).toEqual(
        Object.fromEntries(
          aliases.map((alias, index) => [
            alias,
            rejected.includes(alias) ? null : { notificationGuid: cleaned[index] },
          ]),
        ),
      );
      const problems = (errors ?? []) as { path: string[]; extensions: { code: string } }[];
      expect(problems.map(({ path, extensions }) => `${path.join('.')} ${extensions.code}`).sort()).toEqual(
        rejected.map((alias) => `${alias} BAD_USER_INPUT`).sort(),
      );

      const requests = service.requests.slice(sentBefore);
      const sent = requests.map(({ method, path, query: search }) => {
        const [, segment = ''] = /^\/v1\/customnotifications\/([^/?#]+)$/.exec(path) ?? [];
        const isStable = new URL(path, service.url).pathname === path;
        return `${method} ${decodeURIComponent(segment)} ${search} ${isStable ? 'stable' : path}`;
      });
      const expected = new Set(cleaned.filter(mayBeSent).map((id) => `GET ${id}  stable`));
      expect(sent.sort()).toEqual([...expected].sort());
      sentCount += sent.length;
    }),
    { numRuns: sizes.identifierRounds, seed, endOnFailure: true },
  );
  console.log(`${sizes.identifierRounds * BATCH} identifiers, ${sentCount} sent`);
  expect(sentCount).toBeGreaterThan((sizes.identifierRounds * BATCH) / 4);
});

test('every token is forwarded unchanged or not at all', async () => {
  const wellFormed = /^[!-+\--~]+$/; // visible ASCII without commas
  const token = fc.oneof(
    fc.stringMatching(wellFormed),
    // oxfmt-ignore
    hostileText([
        'abc', 'A-Z.0~9', '+/', '=', '==', ' ', '\t', ',', ';', '"', '\r\n', '\n', '\r', '\r\nx-foreign: 1', '\r\n\r\n', '\0', '\u007f',
        'é', '\u00ff', '🚚', '%0d%0a', 'Bearer ', ':',
      ]),
  );
  let number = 0;
  let sentCount = 0;

  await fc.assert(
    fc.asyncProperty(fc.array(token, { minLength: BATCH, maxLength: BATCH }), async (generated) => {
      const { service } = gateway;
      const sentBefore = service.requests.length;
      const calls = generated.map((text) => {
        number += 1;
        // Whitespace around a field value is not part of it (RFC 9110 §5.5).
        return { requestId: `token-${number}`, token: text.replace(/^[ \t]+|[ \t]+$/g, '') };
      });
      const responses = await pMap(calls, sendRaw, { concurrency: 20 });

      const sent = new Map(service.requests.slice(sentBefore).map((request) => [request.subject, request]));
      expect(sent.size).toBe(service.requests.length - sentBefore);
      for (const [index, { requestId, token: given }] of calls.entries()) {
        // After a line break there is another header of the client, or invalid HTTP.
        const [line = '', ...furtherLines] = given.split(/\r?\n|\r/);
        const value = line.replace(/[ \t]+$/, '');
        const isToken = wellFormed.test(value);
        const request = sent.get(requestId);
        const isSent = furtherLines.length === 0 ? isToken : isToken && request !== undefined;
        if (isSent) sentCount += 1;
        expect({ given, isSuccess: responses[index]?.includes(`"About ${requestId}"`) }).toEqual({
          given,
          isSuccess: isSent,
        });
        expect({ given, headers: request?.rawHeaders }).toEqual({
          given,
          headers: isSent ? headersFor(requestId, value) : undefined,
        });
      }
    }),
    { numRuns: sizes.tokens / BATCH, seed, endOnFailure: true },
  );
  console.log(`${sizes.tokens} tokens, ${sentCount} sent`);
  expect(sentCount).toBeGreaterThan(sizes.tokens / 4);
});

/** The complete headers of a read. */
function headersFor(requestId: string, token: string): string[] {
  return [
    ...['host', new URL(gateway.service.url).host, 'connection', 'keep-alive'],
    ...['accept', 'application/json', 'accept-encoding', 'gzip, deflate, br'],
    ...['user-agent', 'shipment-graphql-gateway', 'x-request-id', requestId],
    ...['authorization', `Bearer ${token}`],
  ];
}

/** Reads the notification named like the request ID, with a token of any bytes; returns the raw response. */
async function sendRaw({ requestId, token }: { requestId: string; token: string }): Promise<string> {
  const { hostname, port, pathname } = new URL(gateway.url);
  const body = JSON.stringify(about('notification', requestId));
  const lines = [
    `POST ${pathname} HTTP/1.1`,
    `host: ${hostname}`,
    'connection: close',
    'content-type: application/json',
    `x-request-id: ${requestId}`,
    `authorization: Bearer ${token}`,
    `content-length: ${body.length}`,
  ];
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  return buffer(socket).then(String, () => '');
}
