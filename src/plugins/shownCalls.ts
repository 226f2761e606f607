import type { ApolloServerPlugin } from '@apollo/server';
import type { GatewayContext } from '../context.js';

/** Puts the REST calls of an operation into `extensions.trace`, for callers who may see them and ask for it. */
export const shownCalls: ApolloServerPlugin<GatewayContext> = {
  requestDidStart: () =>
    Promise.resolve({
      willSendResponse({ contextValue, response: { body } }) {
        const trace = contextValue.record.shownCalls;
        if (trace && body.kind === 'single')
          body.singleResult.extensions = { ...body.singleResult.extensions, trace };
        return Promise.resolve();
      },
    }),
};
