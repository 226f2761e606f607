import type { GraphQLRequestContext } from '@apollo/server';
import type { GatewayContext } from '../../context.js';

/** A GraphQL request as far as it is known: parts are missing where it failed before they were. */
export type OperationRequest = Pick<
  GraphQLRequestContext<GatewayContext>,
  'contextValue' | 'document' | 'operation' | 'request' | 'schema' | 'source'
>;

/** A request whose document is valid, and whose operation is found. */
export type ResolvedRequest = OperationRequest & Required<Pick<OperationRequest, 'document' | 'operation'>>;

/** Refuses an operation before anything of it is executed, by throwing a GraphQLError. */
export type OperationCheck = (request: ResolvedRequest) => void;
