import { parseArgs } from 'node:util';
import type { ReferenceServiceOptions } from './referenceService.js';

export const usage = `Usage: npm run service -- [port] [--host <address>] [--latency <ms>]

  port               port to listen on; 0 picks a free port (default: 4001)
  --host <address>   address to listen on (default: 127.0.0.1)
  --latency <ms>     delay of every response in milliseconds (default: 0)
  --help             print this text
`;

/** The longest delay of a timer of Node.js, in milliseconds. */
const MAX_LATENCY_MS = 2_147_483_647;

/** Parses the command line of the program; returns undefined if it asks for help. Throws for what it does not know. */
export function parseOptions(
  args: readonly string[],
): Required<Pick<ReferenceServiceOptions, 'host' | 'latencyMs' | 'port'>> | undefined {
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
