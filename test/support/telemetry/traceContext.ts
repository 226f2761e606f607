/** W3C Trace Context headers, valid and invalid. */
export const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
export const PARENT_ID = 'b7ad6b7169203331';
export const TRACEPARENT = `00-${TRACE_ID}-${PARENT_ID}-01`;
export const TRACESTATE = 'vendor=opaque,other=1';

export const invalidTraceparents = [
  '',
  'a',
  `00-${TRACE_ID}-${PARENT_ID}`,
  `00-${TRACE_ID}-${PARENT_ID}-1`,
  `00-${TRACE_ID}-${PARENT_ID}-01-more`,
  `0-${TRACE_ID}-${PARENT_ID}-01`,
  `ff-${TRACE_ID}-${PARENT_ID}-01`,
  `00-${TRACE_ID.toUpperCase()}-${PARENT_ID}-01`,
  `00-${'0'.repeat(32)}-${PARENT_ID}-01`,
  `00-${TRACE_ID}-${'0'.repeat(16)}-01`,
  `00-${TRACE_ID}0-${PARENT_ID}-01`,
  `00-${TRACE_ID}-${PARENT_ID}-zz`,
  `${TRACEPARENT}, ${TRACEPARENT}`,
  `${TRACEPARENT}\u00e9`,
];
