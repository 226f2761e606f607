/** Runs the GraphQL operations and the shell commands of the documentation, and compares the responses. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parseEnv, promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { EXAMPLE_TOKEN } from '../../src/explorer/examples.js';
import { startGateway } from '../support/gateway/gateway.js';
import { reasonToSkip, skipIf } from '../support/process/requirements.js';
import { codeBlocks, documents, root, type CodeBlock } from './support/markdown.js';
import { minimalEnv } from '../support/process/minimalEnv.js';
import { post } from '../support/http/post.js';

const ORIGIN = 'http://127.0.0.1:4000';
const shell = promisify(execFile);

/** Commands that start processes, need other programs or take long, and what covers them. */
const coveredElsewhere: Readonly<Record<string, string>> = {
  'npm ci && npm start': 'test/system/process/main.test.ts',
  'npm test': '.ci/run',
  'npm run service -- 4001 --host 127.0.0.1 --latency 300': 'test/system/process/mockService.test.ts',
  'SERVICE_URL=https://freight.example.com npm start': 'test/system/process/main.test.ts',
  'set -a && . ./.env && set +a && npm start': 'test/system/process/main.test.ts',
  'docker build -t shipment-graphql-gateway:0.1.0 .': 'test/system/deploy/image.test.ts',
  'docker run -p 4000:4000 --memory 512m -e SERVICE_URL=https://freight.example.com shipment-graphql-gateway:0.1.0':
    'test/system/deploy/image.test.ts',
  'SERVICE_URL=https://freight.example.com docker compose -f deploy/compose.yaml up':
    'test/deploy/files.test.ts',
  'docker compose -f deploy/compose.yaml up -d --build --no-deps --wait gateway-1':
    'test/system/deploy/rollingRestart.test.ts',
  'docker compose -f deploy/compose.yaml up -d --build --no-deps --wait gateway-2':
    'test/system/deploy/rollingRestart.test.ts',
  "docker buildx imagetools inspect node:26.10.0-slim --format '{{.Manifest.Digest}}'":
    'test/deploy/files.test.ts',
  [String.raw`{ printf 'apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: { name: shipment-gateway }\nspec:\n'; sed 's/^\(.\)/  \1/' deploy/observability/alerts.yaml; } | kubectl apply -f -`]:
    'test/deploy/observability.test.ts',
  'systemctl enable --now shipment-graphql-gateway@{1..4}': 'test/deploy/configuration.test.ts',
  'kubectl apply -k deploy/kubernetes/overlays/standard': 'test/deploy/kubernetes.test.ts',
  'kubectl create secret generic shipment-gateway --from-file=REDIS_URL=redis-url --from-file=SHIPMENT_PARAMETERS=parameters.json --from-file=SUBGRAPH_TOKEN=subgraph-token':
    'test/deploy/kubernetes.test.ts',
  'node dist/main.js --check-config': 'test/system/process/commandLine.test.ts',
  'npm run check': '.ci/run',
  "npm run test:mutation -- --mutate src/freight/redact.ts --testFiles 'test/service/*.test.ts,test/errors/*.test.ts'":
    'stryker.config.js',
  'npx -p node@26 npm run bench': 'bench/bench.ts',
  'npm run bench -- --peers ours --before ../checkout-of-the-other-commit --workloads R,M,P':
    'bench/bench.ts',
};

const blocks = documents.flatMap(codeBlocks).map((block) => ({ ...block, where: positionOf(block) }));
const isCurl = ({ language, text }: CodeBlock) => language === 'sh' && text.includes('curl ');

describe('A shell command with curl', () => {
  skipIf(reasonToSkip('curl'));

  test.each(blocks.filter(isCurl))('prints what the documentation shows: $where', async (block) => {
    const origin = await startDocumentedGateway(block);
    const { stdout } = await shell('sh', ['-ec', block.text.replaceAll(ORIGIN, origin)], { env: minimalEnv });
    expectResponse(stdout, block.next);
  });
});

describe('A shell command without curl', () => {
  const commands = blocks
    .filter((block) => block.language === 'sh' && !isCurl(block))
    .flatMap(({ text, where }) => text.split('\n').map((command) => ({ command: command.trim(), where })))
    .filter(({ command }) => command !== '' && !command.startsWith('#'));

  test.each(commands)('is covered elsewhere: $where, $command', ({ command }) => {
    expect(Object.keys(coveredElsewhere)).toContain(command);
    expect(existsSync(root + (coveredElsewhere[command] ?? ''))).toBe(true);
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

test('Every code block is of a language that a test reads', () => {
  const languages = new Set(blocks.map(({ language }) => language));
  expect([...languages].sort()).toEqual(['graphql', 'json', 'promql', 'sh', 'text', 'ts']);
});

/** Starts a gateway as a laptop runs it, plus the variables in the info string of the block. Gives its origin. */
async function startDocumentedGateway({ meta }: CodeBlock): Promise<string> {
  const variables = parseEnv(meta.replaceAll(' ', '\n')) as Record<string, string>;
  const gateway = await startGateway({ env: { NODE_ENV: 'development', ...variables } });
  onTestFinished(() => gateway.stop());
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
