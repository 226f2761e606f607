import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { introspectionFromSchema } from 'graphql';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readSeeds } from '../../src/reference-service/seeds.js';
import { createSchema } from '../../src/graphql/schema.js';
import { startGateway, TOKEN, type TestGateway } from '../support/gateway.js';
import * as frontEnd from './frontEnd/index.js';
import { updatedNotification } from './frontEnd/inputs.js';
import type { ScenarioResult } from './frontEnd/scenario.js';
import { bundle, launchChromium } from './support/chromium.js';

const { notifications } = readSeeds();
const notificationGuid = notifications[0]?.notificationGuid ?? '';
const path = `/v1/customnotifications/${notificationGuid}`;
const introspection = introspectionFromSchema(createSchema());

/** Serves the front end from another origin than the gateway's, so its requests are subject to CORS. */
const pageServer = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html').end('<!doctype html>');
});
let pageOrigin: string;
beforeAll(async () => {
  await once(pageServer.listen(0, '127.0.0.1'), 'listening');
  pageOrigin = `http://127.0.0.1:${(pageServer.address() as AddressInfo).port}`;
});
afterAll(() => {
  pageServer.close();
  pageServer.closeAllConnections();
});

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startGateway({ env: { CORS_ORIGINS: pageOrigin } });
});
afterEach(() => gateway.stop());

const invalidCarrierError = {
  code: 'BAD_USER_INPUT',
  inputPath: 'input.carrier',
  outcome: 'NOT_APPLIED',
  retryable: false,
  requestId: expect.any(String) as string,
};
const expectedResult: ScenarioResult = {
  fetched: {
    __typename: 'Notification',
    notificationGuid,
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
    notificationGuid,
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
const expectedCalls = [
  'GET /v1/customnotifications',
  `GET ${path}`,
  `PUT ${path}`,
  'POST /atlas/frexapi/shipment/track/',
];

const clients = [
  ['Apollo Client', 'runApolloClient'],
  ['urql', 'runUrql'],
] as const;

test.each(clients)('%s reads, updates its cache and distinguishes errors', async (_client, run) => {
  const options = { url: gateway.url, token: TOKEN, notificationGuid, introspection };
  expect(await frontEnd[run](options)).toEqual(expectedResult);
  expect(gateway.takeCalls().map((call) => `${call.method} ${call.path}`)).toEqual(expectedCalls);
});

describe('in Chromium', { timeout: 60_000 }, () => {
  let browser: Browser | undefined;
  let script: string;
  beforeAll(async () => {
    browser = await launchChromium();
    script = await bundle(fileURLToPath(new URL('frontEnd/index.ts', import.meta.url)), 'frontEnd');
  });
  afterAll(() => browser?.close());

  test.for(clients)('%s reads, updates its cache and distinguishes errors', async ([, run], context) => {
    if (browser === undefined) return context.skip('Chromium is not installed.');
    const page = await browser.newPage();
    await page.goto(pageOrigin);
    await page.addScriptTag({ content: script });
    const options = { url: gateway.url, token: TOKEN, notificationGuid, introspection };
    const result = await page.evaluate(
      ([name, scenarioOptions]) =>
        (globalThis as unknown as { frontEnd: typeof frontEnd }).frontEnd[name](scenarioOptions),
      [run, options] as const,
    );
    await page.close();
    expect(result).toEqual(expectedResult);
    expect(gateway.takeCalls().map((call) => `${call.method} ${call.path}`)).toEqual(expectedCalls);
  });
});
