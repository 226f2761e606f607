/** Request headers that the gateway defines. A client sets them to 1. */

/** Lists the REST calls in `extensions.trace`. */
export const TRACE_HEADER = 'x-gateway-trace';

/** Validates a mutation without making its REST call. */
export const DRY_RUN_HEADER = 'x-gateway-dry-run';
