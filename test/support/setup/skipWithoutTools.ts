import { existsSync, readFileSync } from 'node:fs';
import type { Plugin } from 'vitest/config';
import { findTests } from './findTests.js';

/** Undefined where the packages of test/package.json are installed. */
export const toolsMissing = existsSync(new URL('../../node_modules/.package-lock.json', import.meta.url))
  ? undefined
  : 'packages of test/package.json not installed (npm run tools)';

/** Skips the test files that import or run a package of test/package.json, where those are not installed. */
export function skipWithoutTools(): Plugin {
  const manifest = new URL('../../package.json', import.meta.url);
  const { dependencies } = JSON.parse(readFileSync(manifest, 'utf8')) as { dependencies: object };
  const packages = Object.keys(dependencies)
    .filter((name) => name !== 'graphql') // the one of package.json
    .join('|');
  const uses = new RegExp(String.raw`\b(?:from|import|spawnSync)[ (]*'(?:${packages})(?:/[^']*)?'`);
  const files = toolsMissing === undefined ? [] : findTests('test', uses);
  return {
    name: 'skip without tools',
    enforce: 'pre',
    transform: (_code, id) =>
      files.some((file) => id.endsWith(`/${file}`))
        ? `import { test } from 'vitest';
           import { skipTestIf } from '/test/support/process/requirements.ts';
           test('has what it needs', (context) => skipTestIf('${toolsMissing}', context));`
        : undefined,
  };
}
