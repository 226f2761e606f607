/**
 * The ways in which the same operation can be executed: through Apollo Server, past it, and past it by compiled code. Each
 * mode has its own gateway and service, so all of them start from the same state.
 */
import { getOperationAST, Kind, OperationTypeNode, parse } from 'graphql';
import { expect, vi } from 'vitest';
import { JIT_THRESHOLD } from '../../../src/graphql/execution/executor.js';
import { jitEligibleOperation } from '../../../src/graphql/execution/jitEligibility.js';
import type { InProcessGatewayOptions } from '../gateway/inProcessGateway.js';
import { startObservedGateway, type Observation, type ObservedRequest } from './observedGateway.js';
import { until } from '../tools/waiting.js';

export interface ExecutionModes {
  /** Sends a request in every mode, fails if their observations differ, and returns the common one. */
  expectSame(request: ObservedRequest): Promise<Observation & { isCompiled: boolean }>;
  stop(): Promise<void>;
}

/** Sources passed to the compiler, and the number of executions by compiled code. */
const compiledSources = new Set<string>();
let compiledExecutions = 0;
vi.doMock(import('../../../src/graphql/execution/jit.js'), async (importOriginal) => {
  const { compileOperation } = await importOriginal();
  return {
    compileOperation(schema, source, interpret) {
      compiledSources.add(source);
      let interpretedCount = 0;
      const execute = compileOperation(schema, source, (...parameters) => {
        interpretedCount += 1;
        return interpret(...parameters);
      });
      return (
        execute &&
        ((...parameters) => {
          const before = interpretedCount;
          const result = execute(...parameters); // falls back to the interpreter, if at all, before it returns
          if (interpretedCount === before) compiledExecutions += 1;
          return result;
        })
      );
    },
  };
});

export async function startExecutionModes(options: InProcessGatewayOptions = {}): Promise<ExecutionModes> {
  // One connection to the service and no retries, so REST calls arrive in a fixed order.
  const observed = { ...options, env: { SERVICE_CONNECTIONS: '1', SERVICE_RETRIES: '0', ...options.env } };
  const [apollo, fastPath, compiled] = [
    await startObservedGateway(observed),
    await startObservedGateway(observed),
    await startObservedGateway(observed),
  ];
  const prepared = new Set<string>();
  let requestCount = 0;

  /** The same document under a source that no gateway has seen; anything that is not a document stays unchanged. */
  const withNewSource = ({ body, ...others }: ObservedRequest): ObservedRequest => {
    requestCount += 1;
    const query = queryOf(body);
    const isDocument = query !== undefined && /^\s*[{a-z]/.test(query);
    return {
      body: isDocument ? { ...(body as object), query: `${query}\n#${requestCount}` } : body,
      ...others,
    };
  };
  const prepareCompiled = async (request: ObservedRequest) => {
    const query = queryOf(request.body);
    if (query === undefined || prepared.has(query)) return;
    prepared.add(query);
    if (!(await compiled.warmUp(query)) || jitEligibleOperation(parse(query)) === undefined) return;
    for (let time = 0; time < JIT_THRESHOLD; time += 1) await compiled.send(withoutVariables(query, request));
    await until(() => compiledSources.has(query));
  };

  return {
    async expectSame(request) {
      const { faults = [] } = request;
      const expected = await apollo.observe(withNewSource(request), faults);
      const cached = withNewSource(request);
      await fastPath.warmUp(queryOf(cached.body));
      expect(await fastPath.observe(cached, faults)).toEqual(expected);
      await prepareCompiled(request);
      const before = compiledExecutions;
      expect(await compiled.observe(request, faults)).toEqual(expected);
      return { ...expected, isCompiled: compiledExecutions > before };
    },
    async stop() {
      for (const gateway of [apollo, fastPath, compiled]) await gateway.stop();
    },
  };
}

/** A request for the same operation that changes nothing, as a mutation fails without its variables. */
function withoutVariables(query: string, request: ObservedRequest): ObservedRequest {
  const operation = getOperationAST(parse(query));
  const needsVariables = operation?.variableDefinitions?.some(({ type }) => type.kind === Kind.NON_NULL_TYPE);
  if (operation?.operation === OperationTypeNode.MUTATION && !needsVariables)
    throw new Error(`Expected a mutation with a required variable, got ${query}`);
  return { ...request, headers: {}, body: { query } };
}

function queryOf(body: unknown): string | undefined {
  const { query } = (typeof body === 'object' && body !== null ? body : {}) as { query?: unknown };
  return typeof query === 'string' ? query : undefined;
}
