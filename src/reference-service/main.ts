import { startReferenceService } from './referenceService.js';

const service = await startReferenceService({ port: Number(process.argv[2] ?? 4001), record: false });
process.stdout.write(`Reference service ready at ${service.url}\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void service.stop());
}
