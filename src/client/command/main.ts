#!/usr/bin/env node
/** The program `shipment-graphql-client`. The first signal ends it after what is in flight, the second at once. */
import { run } from './run.js';

const controller = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => (controller.signal.aborted ? process.exit(130) : controller.abort()));
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined); // nobody reads it
process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  signal: controller.signal,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  isTerminal: process.stderr.isTTY,
});
