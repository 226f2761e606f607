/** The command line of the program. */
import { parseArgs } from 'node:util';

export const usage = `Usage: shipment-graphql-gateway [--check-config | --help | --version]

Starts the gateway. Environment variables configure it (docs/configuration.md).

  --check-config  print the effective configuration as JSON, with secrets hidden, and exit: with code 0 if it is
                  valid, else with code 1 after all problems; nothing is started
  --help          print this text and exit
  --version       print the version and exit
`;

export type Command = 'check-config' | 'help' | 'start' | 'version';

/** Throws a TypeError whose message names the option or the argument that is unknown. */
export function parseCommand(args: readonly string[]): Command {
  const { values } = parseArgs({
    args: [...args],
    options: {
      'check-config': { type: 'boolean' },
      help: { type: 'boolean' },
      version: { type: 'boolean' },
    },
  });
  if (values.help) return 'help';
  if (values.version) return 'version';
  return values['check-config'] ? 'check-config' : 'start';
}
