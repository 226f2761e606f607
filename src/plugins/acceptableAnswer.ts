import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import { GraphQLError } from 'graphql';
import Negotiator from 'negotiator';

/** The types in which Apollo Server answers an operation, in the order that it prefers. */
const MEDIA_TYPES = [
  'application/json; charset=utf-8',
  'application/graphql-response+json; charset=utf-8',
  'application/json; callbackSpec=1.0; charset=utf-8',
];

/**
 * Refuses an operation whose answer the caller would not accept, before anything is executed: Apollo Server itself
 * finds it afterwards, when a mutation has taken effect already.
 */
export const acceptableAnswer: ApolloServerPlugin = {
  requestDidStart: () =>
    Promise.resolve({
      didResolveOperation({ request, response }) {
        const accept = request.http?.headers.get('accept');
        if (!accept || new Negotiator({ headers: { accept } }).mediaType(MEDIA_TYPES) !== undefined)
          return Promise.resolve();
        response.http.headers.set('content-type', 'application/json; charset=utf-8');
        throw new GraphQLError(
          'Expected a header Accept that allows application/json or application/graphql-response+json',
          { extensions: { code: ApolloServerErrorCode.BAD_REQUEST, http: { status: 406 } } },
        );
      },
    }),
};
