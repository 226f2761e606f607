import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { introspectionFromSchema } from 'graphql';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readSeeds } from '../../src/reference-service/seeds.js';
import { createSchema } from '../../src/graphql/schema.js';
import { startGateway, TOKEN, type TestGateway } from '../support/gateway/gateway.js';
import * as frontEnd from './frontEnd/index.js';
import { renaming } from './frontEnd/inputs.js';
import type { Outcome } from './frontEnd/story.js';
import { bundle, launchChromium } from './support/chromium.js';

const { notifications } = readSeeds();
const notificationGuid = notifications[0]?.notificationGuid ?? '';
const path = `/v1/customnotifications/${notificationGuid}`;
const introspection = introspectionFromSchema(createSchema());

/** The page of the front end, which is of another origin than the gateway. */
const pages = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html').end('<!doctype html>');
});
let pageOrigin: string;
beforeAll(async () => {
  await once(pages.listen(0, '127.0.0.1'), 'listening');
  pageOrigin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
});
afterAll(() => {
  pages.close();
  pages.closeAllConnections();
});

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startGateway({ env: { CORS_ORIGINS: pageOrigin } });
});
afterEach(() => gateway.stop());

const unfit = {
  code: 'BAD_USER_INPUT',
  inputPath: 'input.carrier',
  outcome: 'NOT_APPLIED',
  retryable: false,
  requestId: expect.any(String) as string,
};
const outcome: Outcome = {
  read: {
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
    notificationName: renaming.notificationName,
    shipmentStatuses: ['AT_CONSIGNEE', 'DELIVERED'],
    recipient: {
      __typename: 'StopLevelRecipient',
      notificationRecipientType: 'stopLevel',
      notifyStopContactsByEmail: true,
      notifyStopContactsBySms: false,
    },
  },
  cachedNames: notifications.map((each, index) =>
    index === 0 ? renaming.notificationName : each.notificationName,
  ),
  refusals: [
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
    [unfit],
    [unfit],
  ],
};
const calls = [
  'GET /v1/customnotifications',
  `GET ${path}`,
  `PUT ${path}`,
  'POST /atlas/frexapi/shipment/track/',
];

const clients = [
  ['Apollo Client', 'runApolloClient'],
  ['urql', 'runUrql'],
] as const;

test.each(clients)('%s reads, updates its cache, and tells errors apart', async (_client, run) => {
  const setting = { url: gateway.url, token: TOKEN, notificationGuid, introspection };
  expect(await frontEnd[run](setting)).toEqual(outcome);
  expect(gateway.takeCalls().map((call) => `${call.method} ${call.path}`)).toEqual(calls);
});

describe('in Chromium', { timeout: 60_000 }, () => {
  let browser: Browser | undefined;
  let script: string;
  beforeAll(async () => {
    browser = await launchChromium();
    script = await bundle(fileURLToPath(new URL('frontEnd/index.ts', import.meta.url)), 'frontEnd');
  });
  afterAll(() => browser?.close());

  test.for(clients)('%s does the same', async ([, run], context) => {
    if (browser === undefined) return context.skip('Chromium is not found here.');
    const page = await browser.newPage();
    await page.goto(pageOrigin);
    await page.addScriptTag({ content: script });
    const setting = { url: gateway.url, token: TOKEN, notificationGuid, introspection };
    const came = await page.evaluate(
      ([name, given]) => (globalThis as unknown as { frontEnd: typeof frontEnd }).frontEnd[name](given),
      [run, setting] as const,
    );
    await page.close();
    expect(came).toEqual(outcome);
    expect(gateway.takeCalls().map((call) => `${call.method} ${call.path}`)).toEqual(calls);
  });
});
