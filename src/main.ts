#!/usr/bin/env node
/** Entry point: installs signal handlers before it loads anything else. */

import { constants } from 'node:os';

// PID 1 of a container ignores signals without a handler, so they get one before anything else is loaded. Exit codes follow the convention
// of shells: 128 + signal.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => process.exit(128 + constants.signals[signal]));
const { runCommand } = await import('./program.js');
await runCommand(process.env);
