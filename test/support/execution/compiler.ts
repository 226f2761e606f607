/** Takes the place of graphql-jit in all tests (vitest.config.ts), and counts its work. */
import { compileQuery as compileOriginal } from 'graphql-jit/dist/index';
import { until } from '../tools/waiting.js';

export { isCompiledQuery } from 'graphql-jit/dist/index';

/** How often operations were compiled, and compiled code was executed; files that run in one process share it. */
export const compiler = { compilations: 0, executions: 0 };

/** A bug that runs instead of compiled code. */
export const bug: { run?: () => Promise<never> } = {};

export const compileQuery = ((...parameters: Parameters<typeof compileOriginal>) => {
  compiler.compilations += 1;
  const compiled = compileOriginal(...parameters);
  if (!('query' in compiled)) return compiled;
  const query = (...args: Parameters<typeof compiled.query>) => {
    compiler.executions += 1;
    if (bug.run) return bug.run();
    return compiled.query(...args);
  };
  return { ...compiled, query };
}) as typeof compileOriginal;

/**
 * Sends an operation until compiled code executes it. It becomes hot at once, and is compiled when the event loop has been idle for
 * 100 ms, which sending it more often would prevent on a busy machine.
 */
export async function untilCompiled(send: () => Promise<unknown>): Promise<void> {
  for (let time = 0; time < 20; time += 1) await send();
  const { executions } = compiler;
  await until(async () => {
    await send();
    return compiler.executions > executions;
  }, 150);
}
