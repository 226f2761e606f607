/**
 * Makes the next version: from the changesets or, for the first release, the given one from the section Unreleased.
 * Usage: npm run release:version [-- 1.0.0]
 */
import { execFileSync } from 'node:child_process';
import { expectNoUnreleased, setVersion, takeUnreleased } from './setVersion.js';

const [first] = process.argv.slice(2);
if (first === undefined) {
  expectNoUnreleased('.');
  execFileSync('npx', ['changeset', 'version'], { stdio: 'inherit' });
} else {
  takeUnreleased('.', first);
}
setVersion('.');
