import type { DeleteExceptionPayloadResolvers } from '../../generated/resolvers.js';

export const DeleteExceptionPayload: DeleteExceptionPayloadResolvers = {
  deleted: () => true,
  exceptionGuid: (parameters) => parameters.ExceptionGuid ?? null,
  exceptionFileGuid: (parameters) => parameters.ExceptionFileGuid ?? null,
  shipment: (parameters) => parameters,
};
