import type { ApolloServerPlugin } from '@apollo/server';
import type { GatewayContext } from '../context.js';
import type { AnswerWriter } from './execution/response.js';
import type { OperationCache } from './execution/operationCache.js';
import type { OperationCheck } from './checks/operationCheck.js';

export interface OperationsOptions {
  /** Told of the documents that Apollo Server has found valid. */
  known: OperationCache;
  checks: readonly OperationCheck[];
  write: AnswerWriter;
}

/** Makes valid documents known, runs the checks, and writes the answer. */
export function operations({ known, checks, write }: OperationsOptions): ApolloServerPlugin<GatewayContext> {
  return {
    requestDidStart: () =>
      Promise.resolve({
        didResolveOperation(request) {
          const { source, document, operation } = request;
          known.add(source, document);
          if (operation) for (const check of checks) check({ ...request, operation });
          return Promise.resolve();
        },
        willSendResponse(request) {
          const { body } = request.response;
          if (body.kind === 'incremental') return Promise.resolve();
          const { errors, ...result } = body.singleResult;
          body.singleResult = write(errors ? { ...result, errors: request.errors ?? [] } : result, request);
          return Promise.resolve();
        },
      }),
  };
}
