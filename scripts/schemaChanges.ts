/**
 * Lists the changes of the schema since the last release. Fails for a breaking one without a changeset that permits it: a major
 * one, before 1.0 a minor one. Usage: npm run schema:changes
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { mergeTypeDefs } from '@graphql-tools/merge';
import { buildASTSchema, type GraphQLSchema } from 'graphql';
import { readTypeDefs } from '../src/graphql/schema.js';

const [tag = ''] = git('tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-version:refname').split('\n');
if (tag === '') print('No release yet: nothing to be compatible with');
else await report(tag);

async function report(tag: string): Promise<void> {
  const changes = await diff(schemaAt(tag), buildASTSchema(readTypeDefs()));
  for (const { criticality, message } of changes) print(`${criticality.level}: ${message}`);
  const breaks = changes.some(({ criticality }) => criticality.level === CriticalityLevel.Breaking);
  const permitted = tag.startsWith('v0.') ? /: (?:major|minor)$/m : /: major$/m;
  if (!breaks || readChangesets().some((text) => permitted.test(text))) return;
  print(`Expected a changeset that permits breaking changes since ${tag}`);
  process.exitCode = 1;
}

function schemaAt(tag: string): GraphQLSchema {
  const files = git('ls-tree', '--name-only', tag, 'schema/').split('\n');
  const texts = files
    .filter((file) => file.endsWith('.graphql'))
    .map((file) => git('show', `${tag}:${file}`));
  return buildASTSchema(mergeTypeDefs(texts, { useSchemaDefinition: false }));
}

function readChangesets(): string[] {
  const files = readdirSync('.changeset').filter((file) => file.endsWith('.md') && file !== 'README.md');
  return files.map((file) => readFileSync(`.changeset/${file}`, 'utf8'));
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
