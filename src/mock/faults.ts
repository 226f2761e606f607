/** Faults that the mock injects into its responses: a test or a bearer token such as `demo-500` asks for them. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { readNotifications } from './notifications.js';

/** A request as the service received it. */
export interface RestCall {
  method: string;
  /** As received: neither decoded nor normalized, without the query string. */
  path: string;
  /** As received, without the question mark; empty if there is none. */
  query: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A fault that a test injects into one response of the service. */
export interface Fault {
  /** Delay in milliseconds before the response, whether real or replaced. */
  delayMs?: number;
  /** Holds the response, whether real or replaced, until this resolves. */
  heldUntil?: Promise<unknown>;
  /** Replaces the real response. @default 200 if the fault has a body */
  status?: number;
  /** Added to the response, real or replaced. @default content-type: application/json for a replaced response */
  headers?: Record<string, string>;
  /** Sent verbatim instead of the real body. @default '' if the fault has a status */
  body?: string | Buffer;
  /** Destroys the connection: before the call is carried out, once it is, or halfway through the announced body. */
  disconnect?: 'beforeResponse' | 'afterApplying' | 'midBody';
  /** Keeps the connection open without ever responding. */
  neverRespond?: true;
}

/** Returns false if the service still has to send the real response. */
export function injectFault(response: ServerResponse, fault: Fault): boolean {
  const { status, headers = {}, body, disconnect, neverRespond } = fault;
  if (neverRespond) return true;
  if (disconnect === 'beforeResponse') {
    response.destroy();
    return true;
  }

  if (disconnect === 'afterApplying') {
    response.end = () => response.destroy();
    return false;
  }

  const isReplaced = status !== undefined || body !== undefined || disconnect !== undefined;
  if (isReplaced) response.setHeader('content-type', 'application/json');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (!isReplaced) return false;

  response.statusCode = status ?? 200;
  if (disconnect) sendHalf(response, Buffer.from(body ?? '{"data":[],"messages":[]}'));
  else response.end(body);
  return true;
}

/** The failure that the client asks for with its bearer token. */
export function demoFault(call: RestCall): Fault | undefined {
  return faultOf(demoTokenOf(call), call);
}

function faultOf(token: string, { method, path, query, body }: RestCall): Fault | undefined {
  if (token === 'demo-202' && method === 'GET') return undefined;
  if (token === 'demo-rejected-fields') return fieldsRejected(query, body);
  if (token === 'demo-several') return method === 'POST' ? severalCreated(body) : undefined;
  const deviation = Object.hasOwn(demoDeviations, token) ? demoDeviations[token] : undefined;
  if (deviation)
    return method === 'GET' && path.endsWith('/customnotifications') ? deviatingList(deviation) : undefined;
  return Object.hasOwn(demoFaults, token) ? demoFaults[token] : undefined;
}

/**
 * The failures that a list asks for row by row, with the references of its shipments, as the test cards of payment services do. A call that is
 * rate limited once is known again by its body.
 */
export function createReferenceFaults() {
  const limited = new Set<string>();
  return {
    faultOf(call: RestCall): Fault | undefined {
      const { FreightProviderReferenceNumber: reference } = sentWith(call.query, call.body);
      if (typeof reference !== 'string') return undefined;
      if (reference === 'REF-0000') return { disconnect: 'afterApplying' };
      if (reference !== 'REF-4290') return faultOf(tokens.get(reference) ?? '', call);
      const isFirst = !limited.has(call.body);
      limited.add(call.body);
      return isFirst ? rateLimited(1) : undefined;
    },
    reset: () => limited.clear(),
  };
}

/** The tokens that ask for the same as a reference. */
const tokens = new Map([
  ['REF-2020', 'demo-202'],
  ['REF-4000', 'demo-rejected-fields'],
  ['REF-4030', 'demo-403'],
  ['REF-5000', 'demo-500'],
]);

/** The bearer token of a call, if it asks for a fault or for habits; empty otherwise. */
export function demoTokenOf({ headers }: Pick<RestCall, 'headers'>): string {
  return /^Bearer +(demo-[\w-]+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
}

/** More than the gateway's default SERVICE_TIMEOUT_MS (10 s). */
const SLOW_MS = 15_000;

/** More than that timeout, so that the gateway reports it at once instead of waiting for a retry. */
const RETRY_AFTER_SECONDS = 30;

const demoFaults: Readonly<Record<string, Fault>> = {
  'demo-401': { ...failure(401, 'The bearer token has expired.'), headers: { 'www-authenticate': 'Bearer' } },
  'demo-403': failure(403, 'The user may not do this.'),
  'demo-404': failure(404, 'There is no such resource.'),
  'demo-409': failure(409, 'The resource has changed in the meantime.'),
  'demo-429': rateLimited(RETRY_AFTER_SECONDS),
  'demo-500': failure(500, 'The request could not be completed.'),
  'demo-slow': { delayMs: SLOW_MS },
  'demo-hangup': { disconnect: 'beforeResponse' },
  // A message in another place than in the contract (RFC 9457), and one in a response that does not confirm the call.
  'demo-problem': {
    status: 400,
    headers: { 'content-type': 'application/problem+json' },
    body: JSON.stringify({ title: 'Invalid request', status: 400, detail: 'The request has expired.' }),
  },
  'demo-refused': {
    body: JSON.stringify({ data: false, messages: [{ message: 'The carrier is unknown.' }] }),
  },
  'demo-garbage': { body: JSON.stringify({ data: [{ notificationGuid: 42 }], messages: 'none' }) },
  // Writes that are accepted, but not carried out.
  'demo-202': { status: 202 },
  'demo-login': page(200, 'Sign in'),
  'demo-proxy': page(404, 'Not Found'),
};

/** The mock's objections, by parameter, with the places of values as ASP.NET Core spells them. */
const objections: Readonly<Record<string, readonly [place: string, reason: string]>> = {
  DriverPhoneNumber: ['DriverPhoneNumber', 'This phone cannot receive text messages.'],
  CarrierSCAC: ['CarrierSCAC', 'This carrier is suspended.'],
  notificationName: ['notificationName', 'Another notification has this name.'],
  emailList: ['$.emailList[0]', 'This mailbox does not exist.'],
};

/** Problem details (RFC 9457) with an objection to each parameter that the mock has one for. */
function fieldsRejected(query: string, body: string): Fault {
  const sent = sentWith(query, body);
  const errors = Object.entries(objections).filter(([name]) => Object.hasOwn(sent, name));
  return {
    status: 400,
    headers: { 'content-type': 'application/problem+json' },
    body: JSON.stringify({
      title: 'One or more values were rejected.',
      status: 400,
      errors: Object.fromEntries(errors.map(([, [place, reason]]) => [place, [reason]])),
    }),
  };
}

/** The parameters of a call, wherever they are; what the contract rejects has none. */
function sentWith(query: string, body: string): Readonly<Record<string, unknown>> {
  const inQuery = Object.fromEntries(new URLSearchParams(query));
  try {
    return { ...inQuery, ...(JSON.parse(body || '{}') as object) };
  } catch {
    return inQuery;
  }
}

/** The response to a creation with two notifications that equal the request, which leaves open which one was created. */
function severalCreated(body: string): Fault | undefined {
  const sent = sentWith('', body);
  if (!('notificationName' in sent)) return undefined;
  const data = ['0c0ffee0-0000-4000-8000-000000000001', '0c0ffee0-0000-4000-8000-000000000002'].map(
    (notificationGuid) => ({ ...sent, notificationGuid }),
  );
  return { body: JSON.stringify({ data, messages: [], totalPossibleCount: data.length }) };
}

/** Members by which a notification of the list deviates from the contract. */
const demoDeviations: Readonly<Record<string, object>> = {
  'demo-date': { lastUpdateDate: '1/9/2024 11:02:03 AM' },
  'demo-unreadable': { notificationName: null },
};

/** A list of three notifications without a count. */
function deviatingList(deviation: object): Fault {
  const [first, second, third] = readNotifications();
  return { body: JSON.stringify({ data: [first, { ...second, ...deviation }, third], messages: [] }) };
}

function failure(status: number, message: string): Fault {
  return { status, body: JSON.stringify({ messages: [{ message }] }) };
}

function rateLimited(seconds: number): Fault {
  return { ...failure(429, 'There are too many requests.'), headers: { 'retry-after': String(seconds) } };
}

/** HTML that does not come from the service: of a login, or of a proxy. */
function page(status: number, title: string): Fault {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: `<!doctype html><title>${title}</title><h1>${title}</h1>`,
  };
}

function sendHalf(response: ServerResponse, body: Buffer): void {
  if (!response.hasHeader('content-length')) response.setHeader('content-length', body.length);
  response.write(body.subarray(0, body.length / 2), () => response.destroy());
}
