/** A plugin of GraphQL Code Generator (codegen.ts): `.env.example`, whose sections are those of docs/configuration.md. */
import { readFileSync } from 'node:fs';
import { variableOf, variables, type VariableName } from '../src/config/variables.js';

const HEADER =
  'Written by npm run codegen: every environment variable of the gateway, with its default or an example. Copy this file to .env and uncomment what you need. Times are in milliseconds, sizes in bytes. Ranges and details: docs/configuration.md.';

export function plugin(): string {
  const [, ...sections] = readFileSync('docs/configuration.md', 'utf8').split(/^## /m);
  const parts = sections.flatMap((section) => {
    const [heading = ''] = section.split('\n', 1);
    // Rows of other tables are about variables of the SDK, and removed ones.
    const rows = [...section.matchAll(/^\| `(\w+)` *\| *(.*?) *\| *(.*?) *\| *(.*?) *\|$/gm)];
    const lines = rows.flatMap(([, name = '', ...cells]) =>
      name in variables ? linesOf(name as VariableName, cells) : [],
    );
    return lines.length === 0 ? [] : [`# --- ${heading}\n\n${lines.join('')}`];
  });
  return [comment(HEADER), ...parts].join('\n');
}

function linesOf(name: VariableName, [byDefault = '', range = '', meaning = '']: string[]): string[] {
  const { schema, example = '', secret } = variableOf(name);
  const { data: value } = schema.safeParse(undefined);
  const text = meaning.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  const sentences = [
    text,
    ...(/^`\w+`, /.test(range) ? [`Values: ${range}`] : []),
    ...(value === undefined && byDefault !== 'none' ? [`Default: ${byDefault}`] : []),
    ...(secret && !/secret/i.test(text) ? ['Secret'] : []),
  ];
  const description = `${sentences.join('. ')}.`;
  const shown = value ?? example;
  return [
    comment(description.charAt(0).toUpperCase() + description.slice(1)),
    `#${name}=${quoted(typeof shown === 'string' ? shown : JSON.stringify(shown))}\n`,
  ];
}

/** As a shell reads it: it would remove the double quotes of JSON. */
function quoted(value: string): string {
  return /^[[{]/.test(value) ? `'${value}'` : value;
}

/** In lines of at most 120 characters. */
function comment(text: string): string {
  return text.replaceAll('`', '').replace(/(.{1,118})(?: |$)/g, '# $1\n');
}
