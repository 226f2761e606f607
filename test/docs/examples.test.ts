/** Runs the GraphQL operations and the shell commands of the documentation, and compares the responses. */
import { execFile } from 'node:child_process';
import { parseEnv, promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { EXAMPLE_TOKEN } from '../../src/explorer/examples.js';
import { startGateway, useGateway } from '../support/gateway/gateway.js';
import { reasonToSkip, skipIf } from '../support/process/requirements.js';
import { codeBlocks, documents, type CodeBlock } from './support/markdown.js';
import { minimalEnv } from '../support/process/minimalEnv.js';
import { post } from '../support/http/post.js';
import { forTest } from '../support/tools/useStarted.js';

const ORIGIN = 'http://127.0.0.1:4000';
const shell = promisify(execFile);

const blocks = documents.flatMap(codeBlocks).map((block) => ({ ...block, where: positionOf(block) }));
/** Of the gateway: those of a service are run by firstHour.test.ts. */
const isCurl = ({ language, text }: CodeBlock) => language === 'sh' && /curl (?!.*\$SERVICE_URL)/.test(text);

describe('A shell command with curl', () => {
  skipIf(reasonToSkip('curl'));

  test.each(blocks.filter(isCurl))('prints what the documentation shows: $where', async (block) => {
    const origin = await startDocumentedGateway(block);
    const { stdout } = await shell('sh', ['-ec', block.text.replaceAll(ORIGIN, origin)], { env: minimalEnv });
    expectResponse(stdout, block.next);
  });
});

describe('A GraphQL operation', () => {
  const operations = blocks.filter(({ language }) => language === 'graphql');

  test.each(operations)('has the response that the documentation shows: $where', async (block) => {
    const origin = await startDocumentedGateway(block);
    const hasVariables = block.next?.language === 'json' && block.next.meta === 'variables';
    const variables: unknown = hasVariables ? JSON.parse(block.next?.text ?? '') : undefined;
    const request = { query: block.text, variables };
    const { text } = await post(`${origin}/graphql`, request, { token: EXAMPLE_TOKEN });
    expectResponse(text, hasVariables ? block.next?.next : block.next);
  });
});

test('Every mutation selects its outcome and errors, except one with the error that another one has as data', () => {
  const withoutErrors = blocks.filter(({ text }) => {
    const [, payload = ''] = /\bmutation\b(?!:)([^]*)/.exec(text) ?? [];
    return payload.includes('{') && !(/\boutcome\b/.test(payload) && /\berrors \{/.test(payload));
  });
  expect(withoutErrors.map(({ where }) => where.replace(/:\d+$/, ''))).toEqual(['docs/errors.md']);
});

test('Every code block is of a language that a test reads', () => {
  const languages = new Set(blocks.map(({ language }) => language));
  expect([...languages].sort()).toEqual(['graphql', 'json', 'promql', 'sh', 'text', 'ts', 'tsx']);
});

/** Those without variables and writes share it. */
const shared = useGateway({ env: { NODE_ENV: 'development' } });

/** The origin of a gateway as a laptop runs it, plus the variables in the info string of the block. */
async function startDocumentedGateway({ meta, text }: CodeBlock): Promise<string> {
  if (meta === '' && !/mutation/.test(text)) return new URL(shared.url).origin;
  const variables = parseEnv(meta.replaceAll(' ', '\n')) as Record<string, string>;
  const gateway = await forTest(startGateway({ env: { NODE_ENV: 'development', ...variables } }));
  return new URL(gateway.url).origin;
}

/** Compares a response with the JSON block that follows the request; any response will do where there is none. */
function expectResponse(text: string, block: CodeBlock | undefined): void {
  const response = JSON.parse(withoutVariableParts(text)) as unknown;
  if (block?.language === 'json') expect(response).toEqual(JSON.parse(withoutVariableParts(block.text)));
  else expect(response).not.toHaveProperty('errors');
}

/** Replaces what differs from run to run: request IDs and durations. */
function withoutVariableParts(json: string): string {
  return json
    .replaceAll(/"(requestId|x-request-id)": ?"[^"]*"/g, '"$1":"<request ID>"')
    .replaceAll(/x-request-id: [\w.:-]+/g, 'x-request-id: <request ID>')
    .replaceAll(/"(durationMs|startMs)": ?[\d.]+/g, '"$1":0');
}

function positionOf({ file, line }: CodeBlock): string {
  return `${file}:${line}`;
}
