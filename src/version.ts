/** The name and the version of this package, for logs, traces and User-Agent. */
import { readFileSync } from 'node:fs';

/** The name in logs and traces, unless OTEL_SERVICE_NAME is set. */
export const SERVICE_NAME = 'shipment-graphql-gateway';

export function readVersion(): string {
  const packageJson = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(packageJson) as { version: string }).version;
}
