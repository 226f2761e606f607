/** The program `npm run service`: the mock of the REST service, until a signal stops it. */
import { parseArgs } from 'node:util';
import { startMockService } from './mockService.js';

const usage = `Usage: npm run service -- [port] [--host <address>] [--latency <ms>]

  port               port to listen on; 0 picks a free port (default: 4001)
  --host <address>   address to listen on (default: 127.0.0.1)
  --latency <ms>     delay of every response in milliseconds (default: 0)
  --help             print this text
`;

/** The longest delay of a timer of Node.js, in milliseconds. */
const MAX_LATENCY_MS = 2_147_483_647;

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
  const service = await startMockService({
    ...options,
    record: false,
    log: (line) => process.stdout.write(`${line}\n`),
  });
  process.stdout.write(`Mock service ready at ${service.url}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void service.stop());
  }
}

/** Parses the command line; returns undefined if it asks for help. Throws for what it does not know. */
function parseOptions(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      host: { type: 'string', default: '127.0.0.1' },
      latency: { type: 'string', default: '0' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const [port = '4001', ...others] = positionals;
  if (others.length > 0) throw new Error(`Expected at most one port, got ${positionals.join(' ')}`);
  return {
    host: values.host,
    port: parseInteger('a port', port, 65_535),
    latencyMs: parseInteger('--latency', values.latency, MAX_LATENCY_MS),
  };
}

function parseInteger(name: string, text: string, maximum: number): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Infinity;
  if (number <= maximum) return number;
  throw new Error(`Expected ${name} from 0 to ${maximum}, got ${JSON.stringify(text)}`);
}
