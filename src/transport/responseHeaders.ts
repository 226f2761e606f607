/** The headers of a response that the gateway reads, apart from those of its body. */
import type { RestResponse } from './exchange.js';

/** The value of a header, or the first value of a repeated one. */
export function headerOf({ headers }: Pick<RestResponse, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** When a response was created by the clock of its sender (RFC 9110 §6.6.1), in milliseconds since 1970. */
export function dateOf(response: Pick<RestResponse, 'headers'>): number | undefined {
  const dateMs = parseHttpDate(headerOf(response, 'date') ?? '');
  return Number.isNaN(dateMs) ? undefined : dateMs;
}

/** Parses a date in any of the three formats (RFC 9110 §5.6.7); NaN for anything else. */
function parseHttpDate(text: string): number {
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return NaN;
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
}

/** Parses a Retry-After header, which holds seconds or a date (RFC 9110 §10.2.3). */
export function retryAfterSeconds(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const dateMs = parseHttpDate(header);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, Math.ceil((dateMs - Date.now()) / 1000));
}
