import { build, type Rolldown } from 'vite';

/** Bundles a module into one script for a browser, which puts its exports into a global variable. */
export async function bundle(entry: string, globalName: string): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: { write: false, lib: { entry, name: globalName, formats: ['iife'] } },
  });
  const [output] = [result].flat() as Rolldown.RolldownOutput[];
  const [chunk] = output?.output ?? [];
  if (chunk === undefined) throw new Error(`Expected a script of ${entry}`);
  return chunk.code;
}
