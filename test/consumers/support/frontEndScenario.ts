/** The scenario of the sample front end, which runs in Node.js and in a browser. */
import { createServer } from 'node:http';
import { expect } from 'vitest';
import type { Fault } from '../../../src/mock/mockService.js';
import { readNotifications } from '../../../src/mock/notifications.js';
import { TOKEN } from '../../support/gateway/gateway.js';
import { serve } from '../../support/http/serve.js';
import { updatedNotification } from '../frontEnd/inputs.js';
import type { ScenarioOptions, ScenarioResult } from '../frontEnd/scenario.js';

const notifications = readNotifications();
const notificationGuid = notifications[0]?.notificationGuid ?? '';
const path = `/v1/customnotifications/${notificationGuid}`;

export function optionsFor(url: string): ScenarioOptions {
  return { url, token: TOKEN, notificationGuid };
}

/** Serves the front end from another origin than the gateway's, so its requests are subject to CORS. */
export async function startPageServer() {
  const pageServer = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html>');
  });
  const { url: origin, stop } = await serve(pageServer);
  return { origin, stop };
}

const invalidCarrierError = {
  code: 'BAD_USER_INPUT',
  field: 'trackShipment',
  inputPath: ['input', 'carrier'],
  rule: 'ONE_OF',
  outcome: 'NOT_APPLIED',
  retryable: false,
  requestId: expect.any(String) as string,
};
/** The result of the scenario, the same for every client. */
export const expectedResult: ScenarioResult = {
  fetched: {
    __typename: 'Notification',
    id: notificationGuid,
    notificationName: 'Dock team, arrivals',
    shipmentStatuses: ['AT_CONSIGNEE', 'DELIVERED'],
    recipient: {
      __typename: 'ShipmentLevelRecipient',
      notificationRecipientType: 'shipmentLevel',
      emailList: ['dock@example.com', 'planning@example.com'],
      smsList: ['+13035550100', '+13035550101'],
    },
  },
  cached: {
    __typename: 'Notification',
    id: notificationGuid,
    notificationName: updatedNotification.notificationName,
    shipmentStatuses: ['AT_CONSIGNEE', 'DELIVERED'],
    recipient: {
      __typename: 'StopLevelRecipient',
      notificationRecipientType: 'stopLevel',
      notifyStopContactsByEmail: true,
      notifyStopContactsBySms: false,
    },
  },
  cachedNames: notifications.map(({ notificationName }, index) =>
    index === 0 ? updatedNotification.notificationName : notificationName,
  ),
  errorExtensions: [
    [
      {
        code: 'NOT_FOUND',
        outcome: 'NOT_APPLIED',
        retryable: false,
        status: 404,
        serviceMessages: [{ message: 'There is no shipment with these identifiers.' }],
        requestId: expect.any(String) as string,
      },
    ],
    [invalidCarrierError],
    [invalidCarrierError],
  ],
};
/** One for each REST call: the fourth, an update, is rejected once. */
export const faults: readonly Fault[] = [{}, {}, {}, { status: 429, headers: { 'retry-after': '0' } }];
/** The REST calls that the scenario leads to. */
export const expectedCalls = [
  'GET /v1/customnotifications',
  `GET ${path}`,
  `GET ${path}`,
  `PUT ${path}`,
  `GET ${path}`,
  `PUT ${path}`,
  'POST /atlas/frexapi/shipment/track/',
];

export const clients = [
  ['Apollo Client', 'runApolloClient'],
  ['urql', 'runUrql'],
] as const;
