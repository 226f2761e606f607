/** Services of different frameworks, with habits that nobody has told the gateway: each read as its framework responds to it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { serve } from '../../support/http/serve.js';

/** Status, headers and body of a response. */
type Reply = [status: number, headers: Record<string, string>, body?: unknown];

export interface Stranger {
  readonly url: string;
  /** `METHOD path` of what has arrived. */
  readonly requests: string[];
  stop(): Promise<void>;
}

const TOKEN = 'Bearer t0ken-of-the-probe';
const json = { 'content-type': 'application/json' };
const definition = {
  notificationName: 'Dock 4',
  notificationRecipientType: 'shipmentLevel',
  notificationTypeLabel: 'shipmentStatusChange',
  notificationTypes: ['ShipmentStatusDelivered'],
  notifyStopContactsByEmail: false,
  notifyStopContactsBySms: false,
  emailList: ['dock@example.com'],
  smsList: ['13035550100'],
  filters: [],
  notificationMetaData: null,
  lastUpdateUserName: 'dispatch',
  lastUpdateDate: '2024-05-01T08:30:00.1234567-06:00',
};
const GUID = '11111111-2222-4333-8444-555555555555';
const envelope = (...data: object[]) => ({ data, messages: [], totalPossibleCount: data.length });

/** In the manner of ASP.NET, without regard to letter case and with dates of a `DateTime`, behind an API manager that wants a key. */
const aspNet = ({ url = '', headers }: IncomingMessage): Reply => {
  if (headers['ocp-apim-subscription-key'] !== '5ecret-key')
    return [
      401,
      {
        ...json,
        'www-authenticate':
          'AzureApiManagementKey realm="https://freight.example.com/api",name="Ocp-Apim-Subscription-Key",type="header"',
      },
      { statusCode: 401, message: 'Access denied due to missing subscription key.' },
    ];
  if (headers.authorization !== TOKEN)
    return [401, { ...json, 'www-authenticate': 'Bearer' }, { Message: 'Authorization has been denied.' }];
  const path = url.toLowerCase();
  const record = { ...definition, notificationGuid: GUID, lastUpdateDate: '2024-05-01T08:30:00.123' };
  if (path === '/api/v1/customnotifications') return [200, json, envelope(record)];
  if (path === `/api/v1/customnotifications/${GUID}`) return [200, json, envelope(record)];
  if (path.startsWith('/api/v1/customnotifications/'))
    return [404, json, { Message: 'No such notification.' }];
  if (path.startsWith('/api/atlas/frexapi/shipment/'))
    return [405, { ...json, allow: 'POST' }, { Message: "The requested resource does not support 'GET'." }];
  return [404, json, { Message: `No HTTP resource was found that matches the request URI '${url}'.` }];
};

/** Fastify, which quotes the URL in a 404, behind a balancer that limits, and with a redirect to the path with a slash. */
const fastify = () => {
  let requests = 0;
  return ({ url = '' }: IncomingMessage): Reply => {
    requests += 1;
    if (requests === 1) return [429, { 'retry-after': '1' }];
    if (url === '/v1/customnotifications') return [308, { location: '/v1/customnotifications/' }];
    const record = { ...definition, notificationGuid: GUID, smsList: ['*** *** 0100'] };
    if (url === '/v1/customnotifications/')
      return [200, json, { ...envelope(record), totalPossibleCount: null }];
    if (url === `/v1/customnotifications/${GUID}`) return [200, json, envelope(record)];
    return [404, json, { message: `Route GET:${url} not found`, error: 'Not Found', statusCode: 404 }];
  };
};

/** FastAPI: 405 where only another method is, 307 to the path without a slash, null for what does not exist. */
const fastApi = ({ url = '' }: IncomingMessage): Reply => {
  const record = { ...definition, notificationGuid: GUID, lastUpdateUserName: null };
  if (url === '/freight/v1/customnotifications') return [200, json, envelope(record)];
  if (url.startsWith('/freight/v1/customnotifications/'))
    return [200, json, envelope(...(url.endsWith(GUID) ? [record] : []))];
  if (url.startsWith('/atlas/frexapi/shipment/'))
    return [405, { ...json, allow: 'POST' }, { detail: 'Method Not Allowed' }];
  return [404, json, { detail: 'Not Found' }];
};

/** An old servlet: the identifier in the query, pages for errors, the stop level in capitals, and no charset. */
const servlet = ({ url = '' }: IncomingMessage): Reply => {
  const record = {
    ...definition,
    notificationGuid: GUID,
    notificationRecipientType: 'STOPLEVEL',
    notifyStopContactsByEmail: true,
  };
  const { pathname, searchParams } = new URL(url, 'http://servlet.example');
  const plain = { 'content-type': 'text/plain;charset=ISO-8859-1' };
  if (pathname === '/v1/customnotifications') {
    const id = searchParams.get('id');
    return [200, plain, envelope(...(id === null || id === GUID ? [record] : []))];
  }
  const page = { 'content-type': 'text/html;charset=ISO-8859-1' };
  if (pathname.endsWith('/track/') || pathname.endsWith('/exception'))
    return [405, page, '<html><title>Error 405 HTTP method GET is not supported</title></html>'];
  return [404, page, `<html><title>Error 404</title><p>${url}</p></html>`];
};

const handlers = { aspNet: () => aspNet, fastify, fastApi: () => fastApi, servlet: () => servlet };

export async function startStranger(name: keyof typeof handlers): Promise<Stranger> {
  const handle = handlers[name]();
  const requests: string[] = [];
  const { url, stop } = await serve(
    createServer((request: IncomingMessage, response: ServerResponse) => {
      requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
      const [status, headers, body = ''] = handle(request);
      response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
    }),
  );
  return { url, requests, stop };
}
