/** Prints the changelog of the version in package.json. Usage: npm run --silent release:notes */
import { readFileSync } from 'node:fs';
import { releaseNotes } from './changelog.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const notes = releaseNotes(readFileSync('CHANGELOG.md', 'utf8'), version);
if (notes === undefined) throw new Error(`Expected a section "## ${version}" in CHANGELOG.md, got none`);
process.stdout.write(`${notes}\n`);
