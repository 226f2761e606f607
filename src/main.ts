#!/usr/bin/env node
/** The program. */

// Process 1 of a container ignores signals without a handler, so they have one before anything else is loaded.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
const { runCommand } = await import('./commandLine.js');
await runCommand(process.env);
