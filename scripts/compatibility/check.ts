/** Fails for breaking changes since the last release without a version that permits them. Usage: npm run compatibility */
import { compareWithLastRelease } from './lastRelease.js';

const { passed, report } = await compareWithLastRelease('.');
process.stdout.write(`${report}\n`);
if (!passed) process.exitCode = 1;
