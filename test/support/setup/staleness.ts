import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Whether a build output is missing, or older than a source. Sources are files, or folders with all that is in them. */
export function isStale(outputs: readonly string[], sources: readonly string[]): boolean {
  if (!outputs.every((path) => existsSync(path))) return true;
  const newestSource = Math.max(...sources.flatMap(filesOf).map(modifiedAt));
  return Math.min(...outputs.map(modifiedAt)) < newestSource;
}

function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).map((file) => join(path, file));
}

function modifiedAt(path: string): number {
  return statSync(path).mtimeMs;
}
