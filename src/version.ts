import { readFileSync } from 'node:fs';

/** The version of the package. */
export function readVersion(): string {
  const packageJson = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(packageJson) as { version: string }).version;
}
