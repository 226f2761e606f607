/**
 * Lists the breaking and the dangerous changes of the schema since the last release, as graphql-js defines them. Fails for a breaking
 * one without a changeset that permits it: a major one, before 1.0 a minor one. Usage: npm run schema:changes
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mergeTypeDefs } from '@graphql-tools/merge';
import { buildASTSchema, findBreakingChanges, findDangerousChanges, type GraphQLSchema } from 'graphql';
import { readTypeDefs } from '../src/graphql/schema.js';

const [tag = ''] = git('tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-version:refname').split('\n');
if (tag === '') print('No release yet: nothing to be compatible with');
else report(tag);

function report(tag: string): void {
  const before = schemaAt(tag);
  const now = buildASTSchema(readTypeDefs());
  const breaking = findBreakingChanges(before, now);
  for (const { description } of breaking) print(`Breaking: ${description}`);
  for (const { description } of findDangerousChanges(before, now)) print(`Dangerous: ${description}`);
  const permitted = tag.startsWith('v0.') ? /: (?:major|minor)$/m : /: major$/m;
  if (breaking.length === 0 || readChangesets().some((text) => permitted.test(text))) return;
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
