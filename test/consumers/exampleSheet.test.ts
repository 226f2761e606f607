/** How the app of examples/notifications reads what people paste from spreadsheets, and what it saves for them. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSheet, toCsv } from '../../examples/notifications/src/tracking/sheet.js';
import { cellsOf as assemble, columnsOf, problemsOf, type BulkField } from '../../src/client/columns.js';

const cellsOf = (text: string) => parseSheet(text).map(({ cells }) => cells);

describe('A pasted sheet', () => {
  test('has the row numbers of the sheet: headers, empty rows and cells of several lines count once', () => {
    expect(parseSheet('Reference\tPhone\r\n\r\n"REF-1\nREF-2"\t1\r\n\t\r\nREF-3\t2\r\n')).toEqual([
      { number: 1, cells: ['Reference', 'Phone'] },
      { number: 3, cells: ['REF-1\nREF-2', '1'] },
      { number: 5, cells: ['REF-3', '2'] },
    ]);
  });

  test.each([
    ['copied', '\t'],
    ['of a file', ','],
  ])(
    'keeps a quotation mark at the start of a cell as text if its row is complete without it: %s',
    (_, by) => {
      const rows = [
        ['REF-1', 'PLATE-1', 'EXMA', '1'],
        ['"REF-2', 'PLATE-2', 'EXMA', '2'],
        ['REF-3', '"PLATE-3', 'EXMA', '3'],
        ['REF-4', 'PLATE-4"', 'EXMA', '4'],
        ['REF-5', 'PLATE-5', 'EXMA', '"5'],
        ['REF-6"', 'PLATE-6', 'EXMA', '6'],
      ];
      expect(cellsOf(rows.map((cells) => cells.join(by)).join('\n'))).toEqual(rows);
    },
  );

  test('does not melt ditto marks', () => {
    const rows = [
      ['REF-1', 'PLATE-1', 'EXMA', '1'],
      ['REF-2', '"', '"', '2'],
      ['REF-3', '"', '"', '3'],
      ['"', '"', '"', '"'],
      ['REF-5', 'PLATE-5', '"', '"'],
    ];
    expect(cellsOf(rows.map((cells) => cells.join('\t')).join('\r\n'))).toEqual(rows);
  });

  test('has cells of several lines, with separators and quotation marks in them', () => {
    expect(
      cellsOf('REF-1,"Dock 4,\nrear, ""left""",EXMA,"a, b"\nREF-2,PLATE-2,EXMA,2\nREF-3,P,EXMA,"x\ny"'),
    ).toEqual([
      ['REF-1', 'Dock 4,\nrear, "left"', 'EXMA', 'a, b'],
      ['REF-2', 'PLATE-2', 'EXMA', '2'],
      ['REF-3', 'P', 'EXMA', 'x\ny'],
    ]);
  });
});

describe('A saved file', () => {
  test('starts with a byte order mark, and has a text where a spreadsheet would make a number, a date or a formula', () => {
    const texts = [
      'Zoë',
      '+13035550100',
      '0012',
      '=HYPERLINK("http://evil.example")',
      '-1',
      '@SUM(1)',
      'MAR-12',
    ];
    expect(toCsv([texts])).toBe(
      `\ufeff"Zoë","'+13035550100","'0012","'=HYPERLINK(""http://evil.example"")","'-1","'@SUM(1)","'MAR-12"`,
    );
  });

  test('is read as it was', () => {
    // An empty row would be left out.
    const cell = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'Z', "'", '"', ',', '\n', '=', '+', '1', '\u00e9', ' ') }),
      fc.string({ unit: fc.constantFrom('é', '漢', '🚚', '👩‍🔧', 'a', '1', ' ', '"', ',', '\n', '-', '@') }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constant('REF-1'), cell, cell, fc.constant('a')), { minLength: 1 }),
        (rows) => {
          expect(cellsOf(toCsv(rows))).toEqual(rows);
        },
      ),
    );
  });
});

test.each([
  ['1.30356E+10', 'The spreadsheet has shortened this number'],
  ['1,3E+10', 'The spreadsheet has shortened this number'],
  ['303555010.0', 'The spreadsheet has turned this into a decimal number'],
  ['303555010,00', 'The spreadsheet has turned this into a decimal number'],
  ['#N/A', 'The spreadsheet has an error here'],
  ['#REF!', 'The spreadsheet has an error here'],
  ['#NAME?', 'The spreadsheet has an error here'],
  ['####', 'The column was too narrow'],
  ['"', 'A ditto mark'],
  ['#4711', undefined],
  ['12E34', undefined],
  ['1001.5', undefined],
  ['303.555.0100', undefined],
  ['REF-1001', undefined],
])('a dispatcher learns what happened to the cell %s in the spreadsheet', (cell, problem) => {
  const [found] = problemsOf({ portalLicensePlate: cell });
  expect(found?.message.slice(0, problem?.length)).toBe(problem);
});

describe('The number of a carrier', () => {
  test.each([
    [['EXMC', '', ''], 'EXMC'],
    [['', '900001', ''], 'MC 900001'],
    [['', '', '8000002'], 'DOT 8000002'],
  ])('is what the header says: %j', (cells, carrier) => {
    const headers = ['Reference', 'Plate', 'SCAC', 'MC #', 'DOT no.', 'Phone'];
    const columns = columnsOf('trackShipments', headers);
    const row = assemble(['REF-1001', 'PLATE-3001', ...cells, '3035550101'], columns);
    expect(row).toEqual({
      freightProviderReferenceNumber: 'REF-1001',
      portalLicensePlate: 'PLATE-3001',
      carrier,
      driverPhoneNumber: '3035550101',
    });
    expect(problemsOf(row)).toEqual([]);
  });

  test('is asked back if nobody can tell which it is', () => {
    const columns = columnsOf('trackShipments', ['Reference', 'Plate', 'Carrier', 'Phone']);
    const row = assemble(['REF-1001', 'PLATE-3001', '900001', '3035550101'], columns);
    expect(problemsOf(row)).toMatchObject([
      { message: 'MC or DOT? Type MC 900001 or DOT 900001.', inputPath: ['input', 'carrier'] },
    ]);
  });
});

describe('The headers of columns', () => {
  const reference = 'freightProviderReferenceNumber';
  const phone = 'driverPhoneNumber';
  const hauler = 'freightHaulerProviderXid';
  test.each<[field: BulkField, headers: string[], columns: (string | undefined)[]]>([
    ['trackShipments', ['Driver', 'Driver phone'], [undefined, phone]],
    ['trackShipments', ['CustomerRef', 'Truck driver'], [reference, phone]],
    ['trackShipments', ['Shipment status', 'Reference'], [undefined, reference]],
    [
      'trackShipments',
      ['Cancelled', 'Border', 'Preferred', 'Order'],
      [undefined, undefined, undefined, reference],
    ],
    [
      'trackShipments',
      ['Cancelled', 'Cell', 'Truck type', 'Plate'],
      [undefined, phone, undefined, 'portalLicensePlate'],
    ],
    [
      'trackShipments',
      ['Hauler name', 'Hauler XID', 'Carrier', 'SCAC'],
      [undefined, hauler, undefined, 'carrier'],
    ],
    ['trackShipments', ['LoadNumber', 'Load 7'], [reference, undefined]],
    [
      'deleteExceptions',
      ['Exception', 'Exception GUID', 'Reference'],
      [undefined, 'exceptionGuid', reference],
    ],
    [
      'createNotifications',
      ['User name', 'Notification name', 'Cancelled'],
      [undefined, 'notificationName', undefined],
    ],
    ['trackShipments', ['Load', 'Order no.'], [reference, reference]],
  ])('of %s are understood, the most specific first: %j', (field, headers, columns) => {
    expect(columnsOf(field, headers)).toEqual(columns);
  });
});
