import type { RestCall } from './callRecorder.js';
import type { Fault } from './faultInjection.js';

/** More than the gateway's default SERVICE_TIMEOUT_MS (10 s). */
const SLOW_MS = 15_000;

/** More than that timeout, so that the gateway reports it at once instead of waiting for a retry. */
const RETRY_AFTER_SECONDS = 30;

const faults: Readonly<Record<string, Fault>> = {
  'demo-401': { ...failure(401, 'The bearer token has expired.'), headers: { 'www-authenticate': 'Bearer' } },
  'demo-403': failure(403, 'The user may not do this.'),
  'demo-404': failure(404, 'There is no such resource.'),
  'demo-409': failure(409, 'The resource has changed in the meantime.'),
  'demo-429': {
    ...failure(429, 'There are too many requests.'),
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  },
  'demo-500': failure(500, 'The request could not be completed.'),
  'demo-slow': { delayMs: SLOW_MS },
  // Before the status: that of a deletion is conclusive, whatever becomes of the body.
  'demo-hangup': { disconnect: 'beforeResponse' },
  'demo-garbage': { body: JSON.stringify({ data: [{ notificationGuid: 42 }], messages: 'none' }) },
};

/** The failure that the client asks for with its bearer token. */
export function demoFault({ method, headers }: Pick<RestCall, 'headers' | 'method'>): Fault | undefined {
  const [, token = ''] = /^Bearer +(demo-\w+)$/i.exec(headers.authorization ?? '') ?? [];
  // The contract gives the body of a successful deletion no meaning, so no body violates it.
  if (token === 'demo-garbage' && method === 'DELETE') return undefined;
  return Object.hasOwn(faults, token) ? faults[token] : undefined;
}

function failure(status: number, message: string): Fault {
  return { status, body: JSON.stringify({ messages: [{ message }] }) };
}
