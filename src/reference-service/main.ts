import { parseOptions, usage } from './options.js';
import { startReferenceService } from './referenceService.js';

try {
  const options = parseOptions(process.argv.slice(2));
  if (options) await start(options);
  else process.stdout.write(usage);
} catch (error) {
  // The message of a port in use names the address; a stack would add nothing.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function start(options: NonNullable<ReturnType<typeof parseOptions>>): Promise<void> {
  const service = await startReferenceService({
    ...options,
    record: false,
    log: (line) => process.stdout.write(`${line}\n`),
  });
  process.stdout.write(`Reference service ready at ${service.url}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void service.stop());
  }
}
