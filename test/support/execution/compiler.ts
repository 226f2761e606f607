/** Counts the work of the compiler. Import it before anything is compiled, which is when the gateway loads the compiler. */
import { vi } from 'vitest';

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
