import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloServerErrorCode } from '@apollo/server/errors';

/** Codes of errors of the request that is well-formed HTTP, and no operation that can be executed. */
const requestErrors: readonly unknown[] = [
  ApolloServerErrorCode.GRAPHQL_PARSE_FAILED,
  ApolloServerErrorCode.GRAPHQL_VALIDATION_FAILED,
  ApolloServerErrorCode.OPERATION_RESOLUTION_FAILURE,
  ApolloServerErrorCode.BAD_USER_INPUT,
];

/**
 * Answers such errors with status 200 where a client asks for `application/json` alone, which is what its kind
 * expects (GraphQL over HTTP, section 6.4.1). Every other client gets status 400.
 */
export const statuses: ApolloServerPlugin = {
  requestDidStart: () =>
    Promise.resolve({
      willSendResponse({ request, response }) {
        const accept = request.http?.headers.get('accept') ?? '';
        const isLegacy =
          accept.includes('application/json') && !accept.includes('application/graphql-response+json');
        const errors = response.body.kind === 'single' ? response.body.singleResult.errors : undefined;
        if (
          isLegacy &&
          response.http.status === 400 &&
          errors?.every(({ extensions }) => requestErrors.includes(extensions?.['code']))
        )
          response.http.status = 200;
        return Promise.resolve();
      },
    }),
};
