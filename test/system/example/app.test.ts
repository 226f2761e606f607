/** The app of examples/notifications in Chromium, in front of a gateway and the mock service. */
import { readdirSync, readFileSync } from 'node:fs';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { inputTexts } from '../../../src/client/texts.js';
import { openPage, useChromium } from '../../support/browser/chromium.js';
import {
  buildExample,
  checkGeneratedTypes,
  exampleMissing,
  serveExample,
} from '../../support/browser/exampleApp.js';
import { useGateway } from '../../support/gateway/gateway.js';
import { post } from '../../support/http/post.js';
import { skipIf } from '../../support/process/requirements.js';
import { killProcesses, startProcess } from '../../support/process/startProcess.js';
import { useStarted } from '../../support/tools/useStarted.js';

const SOURCES = 'examples/notifications/src';
const NO_PHONE_NUMBER = inputTexts.PHONE_NUMBER;

test('the app has no glue: it reads no extensions, compares no code, and makes no UUID', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !file.startsWith('generated'),
  );
  expect(files.length).toBeGreaterThan(10);
  const glue = /\bextensions\b|\.code\b|\{ ?code\b|\bErrorCode\b|UUID|getRandomValues/;
  expect(files.filter((file) => glue.test(readFileSync(`${SOURCES}/${file}`, 'utf8')))).toEqual([]);
});

describe('the example', () => {
  skipIf(exampleMissing);
  afterEach(killProcesses);

  test('has up-to-date types of its operations', checkGeneratedTypes);

  test('starts mock service, gateway and app, prints the address of the app, and ends with a signal', async () => {
    const example = startProcess(process.execPath, ['scripts/example.js'], { env: { PORT: '0' } });
    const [, address = ''] = await example.printed(/^App: (\S+)$/m);
    expect(await (await fetch(address)).text()).toContain('<title>Freight desk</title>');
    expect(
      await post(`${address}graphql`, { query: '{ notifications { totalPossibleCount } }' }),
    ).toMatchObject({
      data: { notifications: { totalPossibleCount: 36 } },
    });
    example.kill('SIGTERM');
    expect(await example.exited).toMatchObject({ code: 0, signal: null });
  });
});

describe('the app in a browser', { timeout: 120_000 }, () => {
  skipIf(exampleMissing);
  const browser = useChromium();
  beforeAll(() => (exampleMissing === undefined ? buildExample() : undefined));

  const gateway = useGateway({
    env: { IDEMPOTENCY_STORE: 'memory' },
    config: { service: { retries: 0 } }, // the app shows what it waits for itself
    usesMockService: true,
  });
  const app = useStarted(() => serveExample(gateway.url, gateway.serviceUrl));
  let page: Page;
  let problems: string[];
  afterEach(async () => {
    await page.close();
    await fetch(`${gateway.serviceUrl}/reset`, { method: 'POST' });
    gateway.takeCalls();
    expect(problems).toEqual([]);
  });

  const open = async (path = '', phone = false) => {
    const options = phone
      ? ({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const)
      : ({ viewport: { width: 1440, height: 900 }, colorScheme: 'light' } as const);
    ({ page, problems } = await openPage(browser(), options));
    await page.goto(`${app.url}#/${path}`);
    return page;
  };
  /** Another tab of the same browser: with the local storage of the first, and a session storage of its own. */
  const openTab = async () => {
    const opened = page.waitForEvent('popup');
    await page.evaluate(`void open(location.href, '_blank', 'noopener')`);
    const tab = await opened;
    await tab.setViewportSize({ width: 1440, height: 900 });
    return tab;
  };
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const click = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const status = () => page.getByRole('status').textContent();
  const focused = () => page.evaluate<string>('document.activeElement.labels?.[0]?.textContent');
  /** The REST calls that write, with the body of each. */
  const takeWrites = () =>
    gateway
      .takeCalls()
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path, body }) => ({ method, path, body: JSON.parse(body || 'null') as unknown }));

  /** The labels of the invalid fields, with the descriptions that screen readers say. */
  const violations = () =>
    page.evaluate<string[][]>(
      `[...document.querySelectorAll('[aria-invalid=true]')].map((field) => [
        field.labels[0].textContent,
        document.getElementById(field.getAttribute('aria-describedby')).textContent,
      ])`,
    );
  /** Presses Tab until the element with this text or label has the focus. */
  const tabTo = async (name: string) => {
    const nameOf = `(document.activeElement.labels?.[0] ?? document.activeElement).textContent`;
    for (let presses = 0; presses < 50; presses += 1) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate(nameOf)) === name) return;
    }
    throw new Error(`Expected to reach ${name} with the Tab key`);
  };

  /** Nothing is cut off in other widths, and axe finds nothing: on a phone in the dark, it looks at the colors alone. */
  const inspect = async () => {
    await page.evaluate(axe.source);
    for (const [width, colorScheme, rules] of [
      [768, 'light', undefined],
      [390, 'dark', ['color-contrast']],
      [1440, 'light', []],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      if (rules === undefined) continue;
      // It would describe each element that passes, too.
      const options = {
        resultTypes: ['violations'],
        preload: false,
        ...(rules.length > 0 && { runOnly: rules }),
      };
      const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
        `axe.run(${JSON.stringify(options)})`,
      );
      expect(violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])).toEqual([]);
    }
  };

  /** Fills the form of a new notification. */
  const fill = async (name: string) => {
    await field('Name').fill(name);
    await field('Email address 1').fill('dock@example.com');
    await page.getByLabel('Delivered').check();
  };
  const serviceIs = (token: string) => page.getByLabel('The service').selectOption(token);

  const carrierOf = (number: number) => `EXM${'ABCD'.charAt((number - 1) % 4)}`;
  const load = (number: number) =>
    `REF-${1000 + number};PLATE-${3000 + number};${carrierOf(number)};303555${1000 + number}`;
  const loads = (count: number, of = count) =>
    Array.from({ length: count }, (_, index) => load((index % of) + 1)).join('\n');
  /** Pastes rows, and has them checked. */
  const check = async (rows: string, expected: string) => {
    await field('Rows of a spreadsheet').fill(rows);
    await page.getByRole('button', { name: /^Check / }).click();
    await expect.poll(status).toBe(expected);
  };
  const send = async (expected: string) => {
    await page.getByRole('button', { name: /^Send \d+ rows?$/ }).click();
    await expect.poll(status).toBe(expected);
  };
  const referencesOf = (writes: ReturnType<typeof takeWrites>) =>
    writes.map(({ body }) => (body as Record<string, string>)['FreightProviderReferenceNumber']);

  test('lists the notifications page by page, finds and sorts them', async () => {
    await open();
    const names = page.getByRole('list', { name: 'Notifications' }).getByRole('link');
    await expect.poll(() => names.first().textContent()).toBe('Dock team, arrivals');
    await inspect();
    await click('Next');
    await expect.poll(() => names.first().textContent()).toBe('Upper case kind');
    await expect.poll(() => page.getByText('Page 2 of 4').count()).toBe(1);
    await page.getByLabel('Search notifications').fill('UPPER case');
    await expect.poll(() => names.allTextContents()).toEqual(['Upper case kind']);
    await page.getByLabel('Search notifications').fill('');
    await page.getByLabel('Sort by').selectOption('name');
    await expect.poll(() => names.count()).toBe(36);
    const sorted = await names.allTextContents();
    expect(sorted).toEqual([...sorted].sort((a, b) => a.localeCompare(b)));
  });

  test('shows every violation at its field, focuses the first, keeps what was typed over a reload, and sends the corrected form', async () => {
    await open('new');
    await field('Email address 1').fill('nobody');
    await click('Add phone number');
    await field('Phone number 1').fill('12');
    await click('Save');
    await expect
      .poll(() => violations())
      .toEqual([
        ['Name', 'This is missing.'],
        ['Email address 1', 'Enter one email address, such as dispatch@example.com.'],
        ['Phone number 1', NO_PHONE_NUMBER],
      ]);
    expect(await page.getByText('Choose at least 1.').count()).toBe(1);
    expect(await focused()).toBe('Name');
    await inspect();
    expect(takeWrites()).toEqual([]);

    await field('Name').fill('Yard');
    await field('Email address 1').fill('yard@example.com');
    await page.getByRole('link', { name: 'Track shipments' }).click();
    await page.goBack();
    await expect.poll(() => field('Name').inputValue()).toBe('Yard');
    await page.reload();
    await expect.poll(() => field('Name').inputValue()).toBe('Yard');
    await field('Phone number 1').fill('(303) 555-0123');
    await page.getByLabel('Delivered').check();
    await click('Save');
    await expect.poll(status).toBe('Created “Yard”.');
    expect(takeWrites()).toEqual([
      {
        method: 'POST',
        path: '/v1/customnotifications',
        body: {
          notificationName: 'Yard',
          notificationRecipientType: 'shipmentLevel',
          emailList: ['yard@example.com'],
          smsList: ['+13035550123'],
          notificationTypeLabel: 'shipmentStatusChange',
          notificationTypes: ['ShipmentStatusDelivered'],
        },
      },
    ]);
  });

  test('creates a notification with the keyboard alone', async () => {
    await open();
    await page.getByText('Dock team').waitFor();
    await tabTo('New notification');
    await page.keyboard.press('Enter');
    await field('Name').waitFor();
    await tabTo('Name');
    await page.keyboard.type('By keyboard');
    await tabTo('People listed here');
    await page.keyboard.press('ArrowRight'); // the next choice
    await tabTo('Delivered');
    await page.keyboard.press('Space');
    await tabTo('Save');
    await page.keyboard.press('Enter');
    await expect.poll(status).toBe('Created “By keyboard”.');
    expect(takeWrites()).toMatchObject([
      { body: { notificationRecipientType: 'stopLevel', notificationTypes: ['ShipmentStatusDelivered'] } },
    ]);
  });

  test('shows both versions after a conflict, and keeps only what the user has changed', async () => {
    await open();
    await page.getByRole('link', { name: 'Night shift' }).click();
    await field('Name').fill('Night shift, mine');
    const [, notificationGuid] = page.url().split('/edit/');
    await gateway.data(
      `mutation ($notificationGuid: ID!) {
        updateNotification(
          notificationGuid: $notificationGuid
          input: { notificationName: "Night shift, theirs", trigger: { shipmentStatusChange: [DELIVERED] } }
        ) { outcome }
      }`,
      { variables: { notificationGuid } },
    );
    takeWrites();
    await click('Save');
    const dialog = page.getByRole('dialog', { name: 'Somebody else has changed it' });
    await dialog.waitFor();
    expect(await dialog.locator('mark').allTextContents()).toEqual([
      'Night shift, mine',
      'Night shift, theirs',
      'Delivered',
    ]);
    await inspect();
    expect(takeWrites()).toEqual([]);
    await click('Keep mine');
    await expect.poll(status).toBe('Saved “Night shift, mine”.');
    expect(takeWrites()).toMatchObject([
      {
        method: 'PUT',
        body: { notificationName: 'Night shift, mine', notificationTypes: ['ShipmentStatusDelivered'] },
      },
    ]);
  });

  test('says what is known after the service lost a creation, and creates it again only when asked to', async () => {
    await open('new');
    await serviceIs('demo-hangup');
    await fill('Lost');
    await click('Save');
    await expect
      .poll(() => page.getByRole('alert').textContent())
      .toContain('It may have gone through, or not.');
    expect(takeWrites()).toHaveLength(1);
    await serviceIs('demo');
    await click('Save'); // the same key
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('may have been applied');
    expect(takeWrites()).toEqual([]);
    await click('Create it again');
    await expect.poll(status).toBe('Created “Lost”.');
    expect(takeWrites()).toHaveLength(1);
  });

  test('after a reload in the middle of a creation, asks before it creates another one, and finds out with the same key', async () => {
    await open('new');
    await fill('Reloaded');
    gateway.injectFault({ delayMs: 1000 });
    await click('Save');
    let sent = 0;
    await expect.poll(() => (sent += takeWrites().length)).toBe(1);
    await page.reload();
    gateway.injectFault(undefined);
    await expect
      .poll(() => page.getByRole('alert').textContent())
      .toBe('It may have gone through, or not. Repeat it: it happens at most once.');
    const questions: string[] = [];
    page.on('dialog', (dialog) => {
      questions.push(dialog.message());
      void dialog.dismiss();
    });
    await field('Name').fill('Changed');
    await click('Save');
    await expect
      .poll(() => questions)
      .toEqual(['Your last attempt may have created a notification. Create one with the new values, too?']);
    await field('Name').fill('Reloaded');
    await click('Save');
    await expect.poll(status).toBe('Created “Reloaded”.');
    expect([questions.length, takeWrites()]).toEqual([1, []]);

    // What was created may be created once more by somebody who begins a new form.
    await page.getByRole('link', { name: 'New notification' }).click();
    await fill('Reloaded');
    await click('Save');
    await expect.poll(() => takeWrites().length).toBe(1);
  });

  test('shows what the service objects to at the fields of the form, and in the cells of a list', async () => {
    await open('new');
    await serviceIs('demo-rejected-fields');
    await fill('Dock team');
    await click('Save');
    await expect.poll(violations).toEqual([
      ['Name', 'Another notification has this name.'],
      ['Email address 1', 'This mailbox does not exist.'],
    ]);
    expect(await focused()).toBe('Name');
    expect(await page.getByRole('alert').textContent()).toContain('One or more values were rejected.');

    await open('track');
    await serviceIs('demo-rejected-fields');
    await check(load(1), '1 row: 1 ready to send.');
    await send('1 row: 1 to correct.');
    await click('Correct row 1');
    expect(await violations()).toEqual([
      ['Carrier', 'This carrier is suspended.'],
      ["Driver's phone", 'This phone cannot receive text messages.'],
    ]);
    expect(takeWrites()).toHaveLength(2);
  });

  test('repeats a write whose response was lost on its way to the browser, and writes once', async () => {
    await open();
    await page.getByText('Night shift').first().waitFor();
    let lost = 0;
    await page.route('**/graphql', async (route) => {
      if (lost > 0 || !route.request().postData()?.includes('deleteNotification')) return route.continue();
      lost += 1;
      await route.fetch();
      return route.abort();
    });
    await click('Delete Night shift');
    await click('Delete');
    await expect.poll(status).toBe('Deleted “Night shift”.');
    await expect.poll(() => page.getByText('Night shift', { exact: true }).count()).toBe(0);
    expect([lost, takeWrites().length]).toEqual([1, 1]);
    problems.length = 0; // the browser reports the lost connection
  });

  test('marks the bad rows of a list on a phone, and sends each of the others once, though the page is reloaded in the middle', async () => {
    await open('track', true);
    await click('Paste 300 sample rows');
    await click('Check 300 rows');
    await expect.poll(status).toBe('300 rows: 294 ready to send, 6 to correct.');
    const place = `(() => {
      const { role } = document.activeElement;
      const { top, bottom } = document.activeElement.getBoundingClientRect();
      return { role, isSeen: top >= 0 && bottom <= innerHeight };
    })()`;
    expect(await page.evaluate(place)).toEqual({ role: 'status', isSeen: true });
    expect(takeWrites()).toEqual([]);
    await page.getByLabel('Only the 6 that need attention').check();
    expect(await page.getByRole('listitem').count()).toBe(6);

    await click('Correct row 7');
    expect(await violations()).toEqual([["Driver's phone", NO_PHONE_NUMBER]]);
    expect(await focused()).toBe("Driver's phone");
    await inspect();
    await field("Driver's phone").fill('303-555-0107');
    await page.keyboard.press('Enter');

    gateway.injectFault({ delayMs: 100 });
    await click('Send 295 rows');
    await expect.poll(() => page.getByRole('progressbar').getAttribute('value')).not.toBe('0');
    await page.reload();
    gateway.injectFault(undefined);
    await page.getByText('The list was interrupted.').waitFor();
    expect(await page.locator('.notice').count()).toBe(1);
    await click('Go on');
    // A row pasted twice, and a reference that the service does not know.
    await expect.poll(status).toBe('300 rows: 294 tracked, 6 to correct.');
    const references = referencesOf(takeWrites());
    expect([references.length, new Set(references).size]).toEqual([295, 295]);
  });

  test('shows what was cleaned and what was refused of a list from the clipboard, after a reload, too, and sends the clean texts', async () => {
    await open('track');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    /** Cells as they are copied, and what each shows. A row that stays is ready to be sent. */
    const rows: [copied: string[], shown: string[]][] = [
      [
        ['REF-\u200b1002', '\u00a0PLATE-3002\u200e', ' MC 900002\u200b', 'tel:+1-303-555-0102'],
        [
          'REF-1002Pasted: REF-U+200B1002',
          'PLATE-3002Pasted: U+00A0PLATE-3002U+200E',
          'MC 900002',
          '+13035550102Pasted: tel:+1-303-555-0102',
        ],
      ],
      [
        ['REF-1003', 'PLATE-3003', 'EXMC', '(303) 555-0103 x12'],
        ['REF-1003', 'PLATE-3003', 'EXMC', `(303) 555-0103 x12${NO_PHONE_NUMBER}`],
      ],
      [
        ['"REF-1006\n1007"', '\u200b', 'EXMB', '+(410) 499-2114'],
        [
          `REF-1006U+000A1007${inputTexts.CHARACTERS}`,
          'U+200BThis is missing.',
          'EXMB',
          `+(410) 499-2114${NO_PHONE_NUMBER}`,
        ],
      ],
    ];
    const copied = rows.map(([cells]) => cells.join('\t')).join('\r\n');
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(copied)})`);
    await field('Rows of a spreadsheet').focus();
    await page.keyboard.press('ControlOrMeta+v');
    await click('Check 3 rows');
    const cells = (row: number) =>
      page.getByRole('listitem').nth(row).locator('[data-cell]').allTextContents();
    for (const reload of [() => Promise.resolve(), () => page.reload()]) {
      await reload();
      for (const [index, [, shown]] of rows.entries()) await expect.poll(() => cells(index)).toEqual(shown);
    }
    await send('3 rows: 1 tracked, 2 to correct.');
    expect(takeWrites().map(({ body }) => body)).toEqual([
      {
        FreightProviderReferenceNumber: 'REF-1002',
        PortalLicensePlate: 'PLATE-3002',
        CarrierMC: '900002',
        DriverPhoneNumber: '+13035550102',
        ShipmentTrackingType: 'Mobile',
      },
    ]);
  });

  test('shows what each column is taken for, and sends a row of unknown outcome again only after a question', async () => {
    await open('track');
    await field('Rows of a spreadsheet').fill(
      'Driver phone,Carrier,Load reference,Note,Plate\n"(303) 555-1001",EXMA,REF-1001,"a, b",PLATE-3001',
    );
    const selects = await page.getByRole('columnheader').getByRole('combobox').all();
    const columns = await Promise.all(selects.map((select) => select.inputValue()));
    expect(columns).toEqual(['phone', 'carrier', 'reference', 'ignored', 'vehicle']);
    expect(await page.getByRole('cell').allTextContents()).toContain('a, b');
    await click('Check 1 row');
    await expect.poll(status).toBe('1 row: 1 ready to send.');
    await serviceIs('demo-hangup');
    await send('1 row: 1 unknown: decide.');
    expect(takeWrites()).toHaveLength(1);
    await serviceIs('demo');
    await page.getByLabel('Select all 1').check();
    await click('Send again…');
    await click('Get it ready again');
    await send('1 row: 1 tracked.');
    expect(referencesOf(takeWrites())).toEqual(['REF-1001']);
  });

  test('looks up the rows whose responses were lost, offers them as a file before a new list forgets them, and keeps the list for a week', async () => {
    await open('track');
    await check(loads(3), '3 rows: 3 ready to send.');
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('trackShipments')) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await click('Send 3 rows');
    let sent = 0;
    await expect.poll(() => (sent += takeWrites().length)).toBe(3);
    await page.reload(); // rather than wait for all repeats
    await page.unroute('**/graphql');
    problems.length = 0;

    const unknown = page.getByRole('region', { name: 'Unknown rows' });
    await expect.poll(() => unknown.textContent()).toContain('3 rows may have gone through, or not.');
    await click('New list');
    await page.getByRole('dialog', { name: 'Start a new list?' }).waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), click('Download them')]);
    expect(readFileSync(await file.path(), 'utf8').split('\r\n')).toEqual([
      '\ufeff"Reference","Vehicle","Carrier","Phone","Step"',
      ...[1, 2, 3].map(
        (number) =>
          `"REF-${1000 + number}","PLATE-${3000 + number}","${carrierOf(number)}","'303555${1000 + number}","REPEAT"`,
      ),
    ]);
    await click('Cancel');
    await click('Look all up');
    await expect.poll(status).toBe('3 rows: 3 tracked.');
    expect([await unknown.count(), takeWrites()]).toEqual([0, []]);

    await click('New list');
    const lists = page.getByRole('region', { name: 'Earlier lists' });
    await lists.getByText('3 of 3 tracked').waitFor();
    const age = (name: string, days: number) =>
      page.evaluate(`localStorage.setItem('earlier-lists', JSON.stringify(
        JSON.parse(localStorage.getItem('earlier-lists'))
          .map((list) => ({ ...list, ${name}: new Date(Date.now() - ${days * 86_400_000}).toISOString() }))))`);
    await age('endedAt', 6.9);
    await page.reload();
    await expect.poll(() => lists.getByRole('listitem').count()).toBe(1);
    await age('endedAt', 7.01);
    await page.reload();
    await field('Rows of a spreadsheet').waitFor();
    expect([await lists.count(), await page.evaluate(`localStorage.getItem('earlier-lists')`)]).toEqual([
      0,
      '[]',
    ]);
  });

  test('finds rows that were sent from this device before, and sends them again only if a person says so', async () => {
    await open('track');
    await check(loads(3), '3 rows: 3 ready to send.');
    const first = page;
    // Another tab, in which the numbers are in another notation, sends them between the check and the click.
    page = await openTab();
    await check(loads(3).replaceAll(/303555(\d+)/g, '(303) 555-$1'), '3 rows: 3 ready to send.');
    await send('3 rows: 3 tracked.');
    await page.close();
    page = first;
    await click('Send 3 rows');
    await expect.poll(status).toBe('3 rows: 3 sent before.');
    expect(takeWrites()).toHaveLength(3);
    const found = page.getByRole('region', { name: 'Sent before' });
    expect(await found.textContent()).toMatch(/^3 of these were sent at \d\d:\d\d\. Nothing is sent/);
    await page.reload();
    await click('Send them again…');
    await page.getByRole('dialog', { name: 'Send again?' }).waitFor();
    expect(takeWrites()).toEqual([]);
    await click('Get them ready again');
    await send('3 rows: 3 tracked.');
    expect(takeWrites()).toHaveLength(3);
    const corner = page.getByRole('complementary', { name: 'Mock service' });
    await expect.poll(() => corner.textContent()).toBe('The mock service got 6 writes, 3 twice');

    // What is kept beyond the tab has no phone number, and an end. What the service has rejected was not sent.
    await click('New list');
    await check(
      `${loads(3)}\nREF-9999;PLATE-9999;EXMA;3035551001`,
      '4 rows: 1 ready to send, 3 sent before.',
    );
    await send('4 rows: 3 sent before, 1 to correct.');
    const kept = await page.evaluate<string>('JSON.stringify(localStorage)');
    expect(kept).toContain('REF-1001');
    expect(kept).not.toMatch(/303\D*555/);
    await page.evaluate(`for (const [name, text] of Object.entries(localStorage))
      if (name.startsWith('sent:'))
        localStorage.setItem(name, JSON.stringify({ ...JSON.parse(text), at: Date.now() - 86_400_001 }))`);
    await click('New list');
    await check(`${loads(3)}\nREF-9999;PLATE-9999;EXMA;3035551001`, '4 rows: 4 ready to send.');
    expect(
      await page.evaluate(`Object.keys(localStorage).filter((name) => name.startsWith('sent:'))`),
    ).toEqual([]);
  });

  /** Changes the name of a notification, and saves it. */
  const rename = async (to: string) => {
    await open();
    await page.getByRole('link', { name: 'Night shift' }).click();
    await field('Name').fill(to);
  };

  test('says when a form is sent again, and does not after Stop, or Cancel, if the service has rejected it', async () => {
    await rename('Night shift, stopped');
    gateway.injectFault({ status: 429, headers: { 'retry-after': '5' } });
    await click('Save');
    await page.getByText(/is sent again in \d s/).waitFor();
    await click('Stop');
    await expect
      .poll(() => page.getByRole('alert').first().textContent())
      .toMatch(/^Nothing was changed\. Repeat it in \d s: it happens at most once\./);
    await click('Save');
    await page.getByText(/is sent again in \d s/).waitFor();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await expect.poll(status).toBe('Cancelled: nothing of “Night shift, stopped” was saved.');
    gateway.injectFault(undefined);
    expect(takeWrites()).toEqual([]);
  });
});
