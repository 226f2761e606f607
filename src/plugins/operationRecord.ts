import type { ApolloServerPlugin } from '@apollo/server';
import { OperationTypeNode } from 'graphql';
import type { GatewayContext } from '../context.js';

/**
 * Notes in the record of a request what its operation was and became. It reads the errors as the error contract has
 * put them, so it comes after that.
 */
export const operationRecord: ApolloServerPlugin<GatewayContext> = {
  requestDidStart: () =>
    Promise.resolve({
      willSendResponse({ operation, contextValue, response }) {
        const record = contextValue.record.operation;
        if (operation) {
          record.operationType = operation.operation;
          if (operation.name) record.operationName = operation.name.value.slice(0, 100);
        }
        const errors =
          (response.body.kind === 'single' ? response.body.singleResult.errors : undefined) ?? [];
        const extensions = errors.map((error) => error.extensions ?? {});
        record.errorCodes = extensions.map(({ code }) => String(code));
        if (operation?.operation === OperationTypeNode.MUTATION) {
          const outcomes = extensions.map(({ outcome }) => outcome);
          if (outcomes.includes('UNKNOWN')) record.outcome = 'UNKNOWN';
          else record.outcome = outcomes.includes('NOT_APPLIED') ? 'NOT_APPLIED' : 'APPLIED';
        }
        return Promise.resolve();
      },
    }),
};
