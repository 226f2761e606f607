/** The command of the package for clients: files of rows, their state, and their results, through the real gateway. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FIELDS } from '../../src/client/columns.js';
import { run as runCommand } from '../../src/client/command/run.js';
import type { RestCall } from '../../src/mock/mockService.js';
import { useGateway } from '../support/gateway/gateway.js';
import { bulkFields } from '../support/graphql/bulkFields.js';
import { createGate, until } from '../support/tools/waiting.js';

const gateway = useGateway({ env: { IDEMPOTENCY_STORE: 'memory' } });
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rows-'));
  gateway.takeCalls();
});
afterEach(() => rmSync(folder, { recursive: true }));

const HEADER = ['Load', 'Plate', 'SCAC', 'Driver phone', 'Notes'];
/** The number names a shipment of the mock. The phone is new for each test: the gateway outlives its files. */
let phones = 1000;
const load = (number: number, { phone = `(303) 555-${String((phones += 1))}`, notes = '' } = {}) => [
  `REF-${1000 + number}`,
  `PLATE-${3000 + number}`,
  `EXM${'ABCD'.charAt((number - 1) % 4)}`,
  phone,
  notes,
];
const toCsv = (rows: readonly (readonly string[])[], by = ',') => rows.map((row) => row.join(by)).join('\n');
const path = (name: string) => join(folder, name);
const write = (name: string, text: string) => {
  writeFileSync(path(name), text);
  return path(name);
};
const read = (name: string) => readFileSync(path(name), 'utf8');
const stateOf = (name: string) => read(`${name}.state.jsonl`);

interface Options {
  field?: string;
  env?: Record<string, string>;
  controller?: AbortController;
  url?: string;
  isTerminal?: boolean;
}
async function run(
  file: string,
  flags: string[] = [],
  {
    field = 'trackShipments',
    env = {},
    controller = new AbortController(),
    url = gateway.url,
    isTerminal = false,
  }: Options = {},
) {
  let stdout = '';
  let stderr = '';
  const streams = {
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text), isTTY: isTerminal },
  };
  const code = await runCommand(
    [field, file, '--url', url, ...flags],
    { env, ...streams } as unknown as NodeJS.Process,
    controller,
  ).catch((error: unknown) => {
    stderr += (error as Error).message;
    return 'rejects';
  });
  return { code, stdout, stderr, calls: gateway.takeCalls() };
}
const writesOf = (calls: readonly RestCall[]) =>
  calls.map(({ method, path: url, body }) => [method, url, ...(body ? [JSON.parse(body) as object] : [])]);
const references = (calls: readonly RestCall[]) =>
  calls
    .map(({ body }) => (JSON.parse(body) as Record<string, string>)['FreightProviderReferenceNumber'])
    .sort();

describe('Without --send', () => {
  test('nothing is written, and each row that is wrong has its reason in words', async () => {
    const file = write(
      'loads.csv',
      toCsv([
        HEADER,
        load(1),
        load(2, { phone: '1.30356E+10' }),
        load(3, { phone: '303555010.0' }),
        ['REF-1004', 'PLATE-3004', '#N/A', '(303) 555-0104', ''],
        ['REF-1005', '', '900001', '303', ''],
        load(1, { phone: '(303) 555-0199' }),
        load(1, { phone: '+13035550199' }),
      ]),
    );
    expect(await run(file)).toEqual({
      code: 1,
      stdout: [
        'Row 3: not applied. Driver phone: The spreadsheet has shortened this number, so digits are missing. Format the column as text there, or make it wider, and copy it again.',
        'Row 4: not applied. Driver phone: The spreadsheet has turned this into a decimal number, so digits may be missing. Format the column as text there, and type it again.',
        'Row 5: not applied. SCAC: The spreadsheet has an error here instead of a value: its formula has found nothing. Type the value.',
        'Row 6: not applied. SCAC: MC or DOT? Type MC 900001 or DOT 900001.',
        'Row 8: not applied. This is the same as an earlier one.',
        '',
      ].join('\n'),
      stderr: '2 of 7 rows are valid or applied, 5 are not, 0 are unknown.\n',
      calls: [],
    });
    expect(readdirSync(folder)).toEqual(['loads.csv']);
  });

  test('what the gateway finds is said at the columns of the file, those that it lacks included', async () => {
    const { code, stdout } = await run(write('loads.csv', 'Load,Plate,MC\n,PLATE-3001,900001\n'));
    expect([code, stdout]).toEqual([
      1,
      'Row 2: not applied. Load: This is missing. driverPhoneNumber: This is missing.\n',
    ]);
  });

  test('a file in which two headers are as specific is rejected', async () => {
    const file = write('loads.csv', toCsv([['Load', 'Order', 'Plate'], load(1)]));
    expect(await run(file)).toEqual({
      code: 'rejects',
      stdout: '',
      stderr: `Expected one column for freightProviderReferenceNumber in ${file}, got Load, Order`,
      calls: [],
    });
  });

  test('an update of one of two lists that are replaced together is rejected: it would erase the other', async () => {
    const file = write('rows.csv', 'GUID,Emails\ne124b63a-0000-0000-0000-000000000001,dock@example.com');
    expect(await run(file, ['--send'], { field: 'updateNotifications' })).toEqual({
      code: 'rejects',
      stdout: '',
      stderr: `Expected emails and phone numbers in ${file}, or neither: an update replaces both`,
      calls: [],
    });
  });

  test('a file in another encoding than UTF-8 is rejected in words that say what to do', async () => {
    const text = toCsv([HEADER, load(1, { notes: 'Zürich' })]);
    writeFileSync(path('loads.csv'), text, 'latin1');
    expect(await run(path('loads.csv'))).toEqual({
      code: 'rejects',
      stdout: '',
      stderr: `Expected ${path('loads.csv')} in UTF-8, got other bytes: save it as "CSV UTF-8" in the spreadsheet`,
      calls: [],
    });
  });

  test('a gateway that does not respond is named as the reason, and no row is valid', async () => {
    const file = write('loads.csv', toCsv([HEADER, load(1)]));
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100); // it would wait and try again
    const { code, stdout } = await run(file, [], { url: 'http://127.0.0.1:9', controller });
    expect([code, stdout]).toEqual([1, 'Row 2: not applied. The gateway did not respond.\n']);
  });
});

describe('With --send', () => {
  test('valid rows are sent once, whatever the file is called, and the result can be given back', async () => {
    const rows = [
      load(1, { notes: '"a ""note"", here"' }),
      load(2, { phone: '303' }),
      load(3),
      ['REF-9999', 'P', 'EXMA', '(303) 555-0100', ''],
    ];
    const file = write('loads.csv', toCsv([HEADER, ...rows]));
    const first = await run(file, ['--send', '--out', path('result.csv')]);
    expect([first.code, references(first.calls)]).toEqual([1, ['REF-1001', 'REF-1003', 'REF-9999']]);
    const lines = read('result.csv').split('\r\n');
    const requestId = /[0-9a-f-]{36}/.source;
    const sent = (index: number) => `'\\+1${(rows[index]?.[3] ?? '').replace(/\D/g, '')}`;
    const given = toCsv([HEADER, ...rows])
      .split('\n')
      .map((line) => line.replace(/[()]/g, '\\$&'));
    for (const [index, result] of [
      'Outcome,Evidence,Reason,Identifier,Request ID,Sent number',
      `APPLIED,RESPONSE,,REF-1001,${requestId},${sent(0)}`,
      `NOT_APPLIED,NOT_SENT,"Driver phone: Enter one .*",REF-1002,${requestId},`,
      `APPLIED,RESPONSE,,REF-1003,${requestId},${sent(2)}`,
      `NOT_APPLIED,RESPONSE,There is no shipment with these identifiers\\.,REF-9999,${requestId},'\\+13035550100`,
    ].entries())
      expect(lines[index]).toMatch(new RegExp(`^\ufeff?${given[index] ?? ''},${result}$`));
    expect(lines).toHaveLength(6);

    const again = await run(path('result.csv'), ['--send', '--out', path('again.csv')]);
    expect([again.code, references(again.calls)]).toEqual([1, ['REF-9999']]);
    expect(again.stderr).toContain('2 rows were sent before, from loads.csv.');
    const withoutIds = (text: string) => text.replaceAll(/[0-9a-f-]{36}/g, '');
    expect(withoutIds(read('again.csv'))).toBe(withoutIds(read('result.csv')));
  });

  test('all applied is exit code 0; a row in another notation is the same, one that was added is sent', async () => {
    const file = write('loads.csv', toCsv([HEADER, load(1, { phone: '(303) 555-0999' })]));
    expect(await run(file, ['--send'])).toMatchObject({ code: 0, stdout: '', calls: [{ method: 'POST' }] });
    write('loads.csv', toCsv([HEADER, load(2), load(1, { phone: '+1 303 555 0999' })]));
    const { code, calls } = await run(file, ['--send']);
    expect([code, references(calls)]).toEqual([0, ['REF-1002']]);
  });

  test('a rate limit is waited out, and said', async () => {
    gateway.injectFaults({ status: 429, headers: { 'retry-after': '1' } });
    const { code, stderr, calls } = await run(write('loads.csv', toCsv([HEADER, load(1)])), ['--send']);
    expect([code, calls.length]).toEqual([0, 2]);
    expect(stderr).toContain('Waiting 1 s. Too many requests to the service; try again later\n');
  });

  test('a row that the service may have applied is unknown, and not sent again', async () => {
    gateway.injectFaults({ disconnect: 'beforeResponse' });
    const file = write('loads.csv', toCsv([HEADER, load(1)]));
    const { code, stdout } = await run(file, ['--send']);
    expect([code, stdout]).toEqual([
      3,
      expect.stringMatching(/^Row 2: unknown\. .*look before you send it again\.\n$/),
    ]);
    expect(await run(file, ['--resume'])).toMatchObject({ code: 3, calls: [] });
  });

  test.each([
    ['a byte order mark and CRLF', (rows: string[][]) => `\ufeff${toCsv(rows).replaceAll('\n', '\r\n')}\r\n`],
    ['semicolons', (rows: string[][]) => toCsv(rows, ';')],
    ['tabs', (rows: string[][]) => toCsv(rows, '\t')],
    [
      'quotes and empty lines',
      (rows: string[][]) => `\n"${rows.map((row) => row.join('","')).join('"\n\n"')}"`,
    ],
  ])('a file with %s is read', async (_title, toText) => {
    const rows = [HEADER, load(7, { notes: 'x' }), load(8, { notes: 'y' })];
    const { code, calls } = await run(write('loads.csv', toText(rows)), ['--send']);
    expect([code, references(calls)]).toEqual([0, ['REF-1007', 'REF-1008']]);
  });

  test.each([
    [
      'createNotifications',
      'Name,Emails,SMS numbers,Statuses\nDock,"a@example.com; b@example.com",(303) 555-0100,"At consignee, delivered"',
      [
        'POST',
        '/v1/customnotifications',
        {
          notificationName: 'Dock',
          emailList: ['a@example.com', 'b@example.com'],
          smsList: ['+13035550100'],
          notificationTypes: ['ShipmentStatusAtConsignee', 'ShipmentStatusDelivered'],
        },
      ],
    ],
    [
      'updateNotifications',
      'Notification GUID,Name\ne124b63a-74ab-43ac-abaf-d7512394501a,Night shift',
      [
        'PUT',
        '/v1/customnotifications/e124b63a-74ab-43ac-abaf-d7512394501a',
        { notificationName: 'Night shift' },
      ],
    ],
    [
      'deleteNotifications',
      'GUID\n12751a71-3f6c-4191-9f31-0f4e1843c23e',
      ['DELETE', '/v1/customnotifications/12751a71-3f6c-4191-9f31-0f4e1843c23e'],
    ],
    [
      'deleteExceptions',
      'Reference,Hauler XID,DOT,Exception\nREF-1001,XID-2001,8000001,e0000000-0000-4000-8000-000000000101',
      [
        'DELETE',
        '/atlas/frexapi/shipment/exception',
        {
          FreightHaulerProviderXID: 'XID-2001',
          CarrierDOT: '8000001',
          ExceptionGuid: 'e0000000-0000-4000-8000-000000000101',
        },
      ],
    ],
  ])('%s has its columns by their headers', async (field, text, [method, url, body]) => {
    const env = { GATEWAY_TOKEN: 'any' };
    const { code, stdout, calls } = await run(write('rows.csv', text), ['--send'], { field, env });
    expect([code, stdout]).toEqual([0, '']);
    const write_ = writesOf(calls).find(([verb]) => verb === method);
    expect(write_).toMatchObject([method, url, ...(body ? [body] : [])]);
  });
});

test('every bulk field has its columns', () => {
  expect(Object.keys(FIELDS).sort()).toEqual(bulkFields.map(([many]) => many).sort());
});

test('a terminal shows a bar, in one line that the next one replaces', async () => {
  const rows = Array.from({ length: 100 }, (_, index) => load(index + 1));
  const { stderr } = await run(write('loads.csv', toCsv([HEADER, ...rows])), ['--send'], {
    isTerminal: true,
  });
  const lines = stderr.split('\r\u001b[K').slice(1);
  expect(lines).toContain(`[${'#'.repeat(15)}${' '.repeat(15)}] 50 of 100 rows applied`);
  expect(lines).toContain(`[${'#'.repeat(30)}] 100 of 100 rows applied`);
  expect(lines.at(-1)).toBe('100 of 100 rows are applied, 0 are not, 0 are unknown.\n');
});

describe('After an interruption', () => {
  /** The state as a crash leaves it that comes once the first row is sent: without its outcome, and with half of a line. */
  const crash = (name: string) => {
    const lines = stateOf(name).split('\n').filter(Boolean);
    const sent = lines.findIndex((line) => line.includes('"isPending":true'));
    write(
      `${name}.state.jsonl`,
      `${lines.slice(0, sent + 1).join('\n')}\n${lines[sent]?.slice(0, 100) ?? ''}`,
    );
  };

  test('only --resume sends on, with the same key, so that nothing is doubled', async () => {
    const file = write('loads.csv', toCsv([HEADER, load(1), load(2, { phone: '303' })]));
    await run(file, ['--send']);
    crash('loads.csv');
    const refused = await run(file, ['--send']);
    expect([refused.code, refused.calls]).toEqual([3, []]);
    expect(refused.stdout).toContain('Row 2: unknown. The gateway did not respond. Continue with --resume');
    const { code, calls } = await run(file, ['--resume', '--out', path('result.csv')]);
    expect([code, calls]).toEqual([1, []]);
    expect(read('result.csv')).toMatch(/APPLIED,REPLAY,/);
  });

  test('a row that is no longer in the file stays unknown, and is said', async () => {
    const file = write('loads.csv', toCsv([HEADER, load(1)]));
    await run(file, ['--send']);
    crash('loads.csv');
    write('loads.csv', toCsv([HEADER, load(2)]));
    const { code, stdout, calls } = await run(file, ['--resume']);
    expect([code, references(calls)]).toEqual([3, ['REF-1002']]);
    expect(stdout).toMatch(/^Not in the file \(put it back\): .*REF-1001.*: unknown\. .*\n$/);
  });

  test('Ctrl-C ends it after what is in flight, and says how to go on', async () => {
    const file = write(
      'loads.csv',
      toCsv([HEADER, ...Array.from({ length: 150 }, (_, index) => load(index + 1))]),
    );
    const { opened, open } = createGate();
    gateway.injectFault({ heldUntil: opened });
    const controller = new AbortController();
    const running = run(file, ['--send'], { controller });
    await until(() => stateOf('loads.csv').includes('"isPending":true'));
    controller.abort('Interrupted');
    open();
    const { code, stderr, calls } = await running;
    gateway.injectFault(undefined);
    expect([code, calls.length]).toEqual([1, 100]);
    expect(stderr).toContain('Interrupted: nothing further is sent. In flight: 100 rows.\n');
    expect(stderr).toContain(
      `To continue: npx shipment-graphql-client trackShipments "${file}" --url ${gateway.url} --resume\n`,
    );
    const rest = await run(file, ['--resume']);
    expect([rest.code, new Set(references([...calls, ...rest.calls])).size, rest.calls.length]).toEqual([
      0, 150, 50,
    ]);
  });
});

describe('Two processes', () => {
  test('the second says so and ends, unless the first is dead', async () => {
    const file = write('loads.csv', toCsv([HEADER, load(1)]));
    write('loads.csv.state.jsonl', `{"pid":${process.ppid}}\n`);
    expect(await run(file, ['--send'])).toEqual({
      code: 'rejects',
      stdout: '',
      stderr: `${file} is being sent by the process ${process.ppid}: wait until it ends`,
      calls: [],
    });
    write('loads.csv.state.jsonl', '{"pid":4194305}\n'); // more than Linux gives
    expect(await run(file, ['--send'])).toMatchObject({ code: 0, calls: [{ method: 'POST' }] });
  });
});

describe('Credentials', () => {
  test.each([
    ['variables', () => ({ GATEWAY_TOKEN: 'secret-token', GATEWAY_CLIENT_KEY: 'secret-key' })],
    [
      'files',
      () => ({
        GATEWAY_TOKEN_FILE: write('token', 'secret-token\n'),
        GATEWAY_CLIENT_KEY_FILE: write('key', 'secret-key\n'),
      }),
    ],
  ])('come from %s, and are in no message and no file', async (_title, envOf) => {
    const env = envOf();
    const file = write('loads.csv', toCsv([HEADER, load(1), load(2, { phone: '303' })]));
    const { calls, stdout, stderr } = await run(file, ['--send', '--out', path('result.csv')], { env });
    expect(calls[0]?.headers.authorization).toBe('Bearer secret-token');
    expect(stdout + stderr + stateOf('loads.csv') + read('result.csv')).not.toContain('secret');
  });

  test.each([
    [{ GATEWAY_TOKEN: 'secret\u00e9' }, [], gatewayUrl],
    [{}, ['--token=secret'], gatewayUrl],
    [{}, [], () => 'http://user:secret@127.0.0.1/'],
  ])('that cannot be used are refused without being quoted: %j %j', async (env, flags, url) => {
    const file = write('loads.csv', toCsv([HEADER, load(1)]));
    const { code, stdout, stderr } = await run(file, flags, {
      env,
      url: url(),
    });
    expect([code, stdout, stderr.includes('secret')]).toEqual(['rejects', '', false]);
  });
});

test.each([
  ['another field', 'trackShipment', 'Load,Plate\n1,2', []],
  ['no file', 'trackShipments', undefined, []],
  ['no header', 'trackShipments', 'REF-1001,PLATE-3001\n', []],
  ['no rows', 'trackShipments', 'Load,Plate\n', []],
  ['a quotation mark that does not end', 'trackShipments', 'Load,Plate\n1,"2\n3,4', []],
  ['the file itself for the result', 'trackShipments', 'Load,Plate\n1,2', ['--out', 'rows.csv']],
  [
    'a folder that does not exist',
    'trackShipments',
    'Load,Plate\n1,2',
    ['--send', '--out', 'none/result.csv'],
  ],
])('wrong usage is rejected, and nothing is sent: %s', async (_title, field, text, flags) => {
  if (text !== undefined) write('rows.csv', text);
  const { code, stdout, stderr, calls } = await run(
    path('rows.csv'),
    flags.map((flag) => (flag.startsWith('--') ? flag : path(flag))),
    { field },
  );
  expect([code, stdout, calls]).toEqual(['rejects', '', []]);
  expect(stderr).not.toBe('');
});

test.each(['', '127.0.0.1:4000/graphql', 'localhost:4000/graphql', '/graphql'])(
  'a URL that is none is rejected with an example of one: "%s"',
  async (url) => {
    const file = write('loads.csv', toCsv([HEADER, load(1)]));
    const { code, stderr, calls } = await run(file, ['--send'], { url });
    expect([code, calls]).toEqual(['rejects', []]);
    expect(stderr).toContain(
      'Expected --url with the URL of the gateway, such as http://127.0.0.1:4000/graphql',
    );
  },
);

test('--help prints the usage, whatever else is given', async () => {
  const { code, stdout, stderr, calls } = await run(path('none.csv'), ['--help']);
  expect([code, stderr, calls]).toEqual([0, '', []]);
  expect(stdout).toMatch(/^Usage: shipment-graphql-client <field> <file> --url <url> .*\n$/s);
});

function gatewayUrl() {
  return gateway.url;
}
