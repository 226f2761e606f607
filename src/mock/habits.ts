/**
 * Makes the mock behave as other services do where the interface document leaves that open: it translates calls of such a service into
 * the contract's, and then rejects calls of the contract itself.
 */
import type { IncomingMessage } from 'node:http';
import type { Fault, RestCall } from './faults.js';

export interface Habits {
  /** Comes before every path. @default none */
  basePath?: string;
  /** Name of the parameter in the query that identifies a notification. @default its identifier is in the path */
  identifierInQuery?: string;
  /** Whether the parameters of tracking calls and deletions of exceptions are in the query. @default false */
  parametersInQuery?: boolean;
  /** Whether the phone number of a tracking call must be digits alone. @default false */
  hasDigitsAlone?: boolean;
  /** The only spelling of stop level, in requests and responses. @default any */
  stopLevel?: string;
  /** Whether the body of a 404 is empty. @default false */
  hasEmptyNotFound?: boolean;
}

/** The habits that the bearer token `demo-habits` asks for. */
export const demoHabits: Habits = {
  identifierInQuery: 'id',
  parametersInQuery: true,
  stopLevel: 'stoplevel',
  hasEmptyNotFound: true,
};

type TranslatedCall = { url: string; body: string; fault?: undefined } | { url?: undefined; fault: Fault };

/** The call of the contract, or the response to a call that such a service does not understand. */
export function translateCall(
  { method, path, query, body }: RestCall,
  { basePath = '', identifierInQuery, parametersInQuery, hasDigitsAlone, stopLevel }: Habits,
): TranslatedCall {
  if (!path.startsWith(`${basePath}/`)) return { fault: { status: 404 } };
  const parameters = new URLSearchParams(query);
  const contractPath = path.slice(basePath.length);
  if (!contractPath.startsWith(NOTIFICATIONS_PATH)) {
    const read = parametersInQuery ? JSON.stringify(Object.fromEntries(parameters)) : body;
    if (hasDigitsAlone && /"DriverPhoneNumber":"(?!\d+")/.test(read))
      return rejection({ field: 'DriverPhoneNumber', message: 'must be digits' });
    return { url: parametersInQuery ? contractPath : withQuery(contractPath, query), body: read };
  }
  const spelling = stopLevel === undefined ? undefined : spellingIn(body);
  if (spelling !== stopLevel && spelling?.toLowerCase() === stopLevel?.toLowerCase()) {
    return rejection({ message: `must be ${stopLevel ?? ''} or shipmentLevel` });
  }
  if (identifierInQuery === undefined) return { url: withQuery(contractPath, query), body };
  if (contractPath !== NOTIFICATIONS_PATH) return { fault: { status: 404 } };
  const identifier = parameters.get(identifierInQuery);
  const isOfAll = identifier === null && (method === 'GET' || method === 'POST');
  if (isOfAll) return { url: contractPath, body };
  return { url: `${contractPath}/${encodeURIComponent(identifier ?? '')}`, body };
}

function rejection(message: object): TranslatedCall {
  return { fault: { status: 400, body: JSON.stringify({ messages: [message] }) } };
}

/** Translates a response of the mock into one of such a service. */
export function translateResponse(
  payload: string,
  status: number,
  { stopLevel, hasEmptyNotFound }: Habits,
): string {
  if (status === 404 && hasEmptyNotFound) return '';
  return stopLevel === undefined ? payload : payload.replace(STOP_LEVEL, `$1${JSON.stringify(stopLevel)}`);
}

/** Lets Fastify receive another request than the one that arrived. */
export function replaceRequest(request: IncomingMessage, { url, body }: { url: string; body: string }): void {
  request.url = url;
  if (body === '') return;
  request.headers['content-type'] = 'application/json';
  request.headers['content-length'] = String(Buffer.byteLength(body));
}

const NOTIFICATIONS_PATH = '/v1/customnotifications';
const STOP_LEVEL = /("notificationRecipientType":)"stopLevel"/gi;

function spellingIn(body: string): string | undefined {
  return /"notificationRecipientType":"(\w*)"/.exec(body)?.[1];
}

function withQuery(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`;
}
