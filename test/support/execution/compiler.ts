/** Counts the work of the compiler. Import it before anything is compiled, which is when the gateway loads the compiler. */
import { vi } from 'vitest';
import { until } from '../tools/waiting.js';

/** How often operations were compiled, and compiled code was executed. */
export const compiler = { compilations: 0, executions: 0 };

vi.doMock(import('graphql-jit'), async (importOriginal) => {
  const original = await importOriginal();
  const compileQuery = ((...parameters: Parameters<typeof original.compileQuery>) => {
    compiler.compilations += 1;
    const compiled = original.compileQuery(...parameters);
    if (!('query' in compiled)) return compiled;
    const query = (...args: Parameters<typeof compiled.query>) => {
      compiler.executions += 1;
      return compiled.query(...args);
    };
    return { ...compiled, query };
  }) as typeof original.compileQuery;
  return { ...original, compileQuery };
});

/** Sends an operation until compiled code executes it. It becomes hot at once, and is compiled when the event loop is idle. */
export async function untilCompiled(send: () => Promise<unknown>): Promise<void> {
  for (let time = 0; time < 20; time += 1) await send();
  await until(async () => {
    await send();
    return compiler.executions > 0;
  }, 50);
}
