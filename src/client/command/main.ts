#!/usr/bin/env node
/** The program `shipment-graphql-client`. The first signal ends it after what is in flight, the second at once. */
import { run } from './run.js';

const controller = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort('Interrupted'));
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined); // nobody reads it
process.exitCode = await run(process.argv.slice(2), process, controller).catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\n`);
  return 2;
});
