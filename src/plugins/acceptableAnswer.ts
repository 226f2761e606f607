import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import { GraphQLError } from 'graphql';
import { negotiateMediaType } from '../graphql/mediaTypes.js';

/**
 * Refuses an operation whose answer the caller would not accept, before anything is executed: Apollo Server itself
 * finds it afterwards, when a mutation has taken effect already.
 */
export const acceptableAnswer: ApolloServerPlugin = {
  requestDidStart: () =>
    Promise.resolve({
      didResolveOperation({ request, response }) {
        if (negotiateMediaType(request.http?.headers.get('accept')) !== undefined) return Promise.resolve();
        response.http.headers.set('content-type', 'application/json; charset=utf-8');
        throw new GraphQLError(
          'Expected an Accept header that allows application/json or application/graphql-response+json',
          { extensions: { code: ApolloServerErrorCode.BAD_REQUEST, http: { status: 406 } } },
        );
      },
    }),
};
