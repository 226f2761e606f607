/** Which lines of successful requests are logged: the same ones in every process that shares the trace, or else the request ID. */
import type { RequestIds } from '../transport/clientIdentity.js';

/**
 * Takes the last bits of a trace ID, which are random, as OpenTelemetry's consistent probability sampling does: a line is logged
 * if they are at least 1 − share. A JavaScript number holds 13 of the 14 hexadecimal digits.
 */
export function isInSample({ requestId, trace_id: traceId }: RequestIds, share: number): boolean {
  const position =
    traceId === undefined ? hash(requestId) / 2 ** 32 : parseInt(traceId.slice(-13), 16) / 2 ** 52;
  return position >= 1 - share;
}

/** FNV-1a with the final mixing of MurmurHash3, without which similar texts have similar hashes. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
