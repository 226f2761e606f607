#!/usr/bin/env node
/** The program. */

import { constants } from 'node:os';

// Process 1 of a container ignores signals without a handler, so they have one before anything else is loaded. The exit code is the one
// that shells report of a program that a signal has ended.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => process.exit(128 + constants.signals[signal]));
const { runCommand } = await import('./program.js');
await runCommand(process.env);
