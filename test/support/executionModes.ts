/**
 * The three ways to an answer: by Apollo Server, by the short way, and by the short way with compiled code. Each has a
 * gateway and a service of its own, so that all of them find the same state.
 */
import { getOperationAST, Kind, OperationTypeNode, parse } from 'graphql';
import { expect, vi } from 'vitest';
import { JIT_THRESHOLD } from '../../src/graphql/execution/executor.js';
import { jitEligibleOperation } from '../../src/graphql/execution/jitEligibility.js';
import { startObservedGateway, type Observation, type ObservedRequest } from './observedGateway.js';

export interface ExecutionModes {
  /** Sends a request on every way, and fails where they differ; gives what they have in common. */
  expectSame(request: ObservedRequest): Promise<Observation & { isCompiled: boolean }>;
  stop(): Promise<void>;
}

/** Texts that the compiler was asked for, and how often compiled code was executed. */
const compileRequests = new Set<string>();
let compiledExecutions = 0;
vi.doMock(import('../../src/graphql/execution/jit.js'), async (importOriginal) => {
  const { compileOperation } = await importOriginal();
  return {
    compileOperation(schema, text, interpret) {
      compileRequests.add(text);
      let interpretedCount = 0;
      const execute = compileOperation(schema, text, (...parameters) => {
        interpretedCount += 1;
        return interpret(...parameters);
      });
      return (
        execute &&
        ((...parameters) => {
          const before = interpretedCount;
          const result = execute(...parameters); // it has asked for the other by the time it gives a promise
          if (interpretedCount === before) compiledExecutions += 1;
          return result;
        })
      );
    },
  };
});

export async function startExecutionModes(
  options: { env?: Record<string, string> } = {},
): Promise<ExecutionModes> {
  // One connection to the service and no retries, so that calls arrive in their order.
  const env = { SERVICE_CONNECTIONS: '1', SERVICE_RETRIES: '0', ...options.env };
  const [apollo, short, compiled] = [
    await startObservedGateway(env),
    await startObservedGateway(env),
    await startObservedGateway(env),
  ];
  const ready = new Set<string>();
  let count = 0;

  /** The same document with another text; what is no document stays as it is. */
  const renamed = ({ body, ...others }: ObservedRequest): ObservedRequest => {
    count += 1;
    const query = documentOf(body);
    const isNone = query === undefined || !/^\s*[{a-z]/.test(query);
    return { body: isNone ? body : { ...(body as object), query: `${query}\n#${count}` }, ...others };
  };
  const prepare = async (request: ObservedRequest) => {
    const query = documentOf(request.body);
    if (query === undefined || ready.has(query)) return;
    ready.add(query);
    if (!(await compiled.warmUp(query)) || jitEligibleOperation(parse(query)) === undefined) return;
    for (let time = 0; time < JIT_THRESHOLD; time += 1) await compiled.send(harmless(query, request));
    await vi.waitUntil(() => compileRequests.has(query));
  };

  return {
    async expectSame(request) {
      const { faults: faults = [] } = request;
      const expected = await apollo.observe(renamed(request), faults);
      const again = renamed(request);
      await short.warmUp(documentOf(again.body));
      expect(await short.observe(again, faults)).toEqual(expected);
      await prepare(request);
      const before = compiledExecutions;
      expect(await compiled.observe(request, faults)).toEqual(expected);
      return { ...expected, isCompiled: compiledExecutions > before };
    },
    async stop() {
      for (const way of [apollo, short, compiled]) await way.stop();
    },
  };
}

/** A request for the same operation that changes nothing. */
function harmless(query: string, request: ObservedRequest): ObservedRequest {
  const operation = getOperationAST(parse(query));
  const needsVariables = operation?.variableDefinitions?.some(({ type }) => type.kind === Kind.NON_NULL_TYPE);
  if (operation?.operation === OperationTypeNode.MUTATION && !needsVariables)
    throw new Error(`Expected a mutation with a variable, got ${query}`);
  return { ...request, headers: {}, body: { query } };
}

function documentOf(body: unknown): string | undefined {
  const { query } = (typeof body === 'object' && body !== null ? body : {}) as { query?: unknown };
  return typeof query === 'string' ? query : undefined;
}
