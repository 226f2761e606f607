import { fileURLToPath } from 'node:url';
import { introspectionFromSchema } from 'graphql';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readSeeds } from '../../src/reference-service/seeds.js';
import { createSchema } from '../../src/schema.js';
import { startGateway, TOKEN, type TestGateway } from '../support/gateway.js';
import * as frontEnd from './frontEnd/index.js';
import { renaming } from './frontEnd/inputs.js';
import type { Outcome } from './frontEnd/story.js';
import { bundle, launchChromium } from './support/chromium.js';

const { notifications } = readSeeds();
const notificationGuid = notifications[0]?.notificationGuid ?? '';
const path = `/v1/customnotifications/${notificationGuid}`;
const introspection = introspectionFromSchema(createSchema());

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startGateway();
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
    const url = new URL('/front-end', gateway.url).href;
    await page.route(url, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
    await page.goto(url);
    await page.addScriptTag({ content: script });
    const setting = { url: gateway.url, token: TOKEN, notificationGuid, introspection };
    const came = await page.evaluate(
      ([name, given]) => (globalThis as unknown as { frontEnd: typeof frontEnd }).frontEnd[name](given),
      [run, setting] as const,
    );
    expect(came).toEqual(outcome);
    expect(gateway.takeCalls().map((call) => `${call.method} ${call.path}`)).toEqual(calls);
  });
});
