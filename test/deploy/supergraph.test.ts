/** The commands of docs/federation.md that compose a supergraph, run a router, and publish to a registry: what they name exists. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { codeBlocks } from '../docs/support/markdown.js';
import { readText, root } from '../support/deploy/deployment.js';

const FOLDER = 'deploy/supergraph/apollo';

test('the commands of docs/federation.md name the files, the subgraph and the URL of deploy/supergraph/apollo', () => {
  const commands = codeBlocks('docs/federation.md')
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => /^(?:rover|router) /.test(line))
    .map((line) => ({
      command: line.split(' --')[0],
      options: Object.fromEntries(
        [...line.matchAll(/--([a-z-]+) (\S+)/g)].map(([, name = '', value]) => [name, value] as const),
      ),
    }));
  const { subgraphs } = parse(readText(`${FOLDER}/supergraph.yaml`)) as {
    subgraphs: Record<string, { routing_url: string; schema: { file: string } }>;
  };
  const [[name, { routing_url, schema }] = ['', { routing_url: '', schema: { file: '' } }]] =
    Object.entries(subgraphs);
  const published = { name, schema: schema.file.replace('./', '') };
  const supergraph = 'supergraph.graphql';
  expect(commands).toEqual([
    { command: 'rover supergraph compose', options: { config: 'supergraph.yaml', output: supergraph } },
    { command: 'router', options: { config: 'router.yaml', supergraph } },
    { command: 'rover subgraph check shipments@production', options: published },
    {
      command: 'rover subgraph publish shipments@production',
      options: { ...published, 'routing-url': routing_url },
    },
  ]);
  for (const file of ['supergraph.yaml', 'router.yaml'])
    expect(existsSync(join(root, FOLDER, file))).toBe(true);
});
