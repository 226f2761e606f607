/**
 * Prints what a push to main releases, as outputs of a workflow step. Usage: npm run --silent release:plan
 * `action` is `version` (changesets are pending: open the pull request of the next version), `publish` (the version has its
 * release notes but no tag yet) or `none`.
 */
import { planRelease } from './releasePlan.js';

const { action, version } = planRelease('.');
const minor = version.split('.').slice(0, 2).join('.');
process.stdout.write(`action=${action}\nversion=${version}\nminor=${minor}\n`);
