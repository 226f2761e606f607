/** Rows of a spreadsheet, as the input of the tracking, and back. */
import type {
  CarrierInput,
  TrackingSubjectFragment as TrackingSubject,
  TrackShipmentInput,
} from '../generated/graphql.js';
import { spreadsheetProblem } from './sheet.js';

export interface Row {
  reference: string;
  /** A license plate, or the identifier of a hauler. */
  vehicle: string;
  /** A SCAC, `MC 123456`, or `DOT 1234567`. */
  carrier: string;
  phone: string;
}

export type VehicleKind = 'licensePlate' | 'hauler';

export type Column = keyof Row | 'mc' | 'dot' | 'ignored';

/** Words in the header of a column, and what it has. */
const HEADERS: readonly [RegExp, Column][] = [
  [/phone|mobile|cell|driver/i, 'phone'],
  [/scac|mc\W*dot|dot\W*mc/i, 'carrier'],
  [/(?<![a-z])mc(?![a-z])/i, 'mc'],
  [/(?<![a-z])(?:us)?dot(?![a-z])/i, 'dot'],
  [/carrier/i, 'carrier'],
  [/plate|vehicle|truck|hauler|xid/i, 'vehicle'],
  [/ref|load|shipment|order/i, 'reference'],
];
const DEFAULT_COLUMNS: readonly Column[] = ['reference', 'vehicle', 'carrier', 'phone'];

/** What each column has: by the first row if that is a header, else in the order of the page. */
export function guessColumns(first: readonly string[] = []): { columns: Column[]; hasHeader: boolean } {
  const named = first.map((cell) => HEADERS.find(([words]) => words.test(cell) && !/\d/.test(cell))?.[1]);
  const hasHeader = named.filter((column) => column !== undefined).length >= 2;
  const columns = first.map(
    (_cell, index) => (hasHeader ? named[index] : DEFAULT_COLUMNS[index]) ?? 'ignored',
  );
  return { columns, hasHeader };
}

/** A column that several cells are assigned to has the first of them. A carrier may have any of three. */
export function assemble(cells: readonly string[], columns: readonly Column[]): Row {
  const cellOf = (column: Column) => cells[columns.indexOf(column)] ?? '';
  const numbered = (kind: 'mc' | 'dot') => cellOf(kind).replace(BARE_NUMBER, `${kind.toUpperCase()} $1`);
  const carriers = [cellOf('carrier'), numbered('mc'), numbered('dot')];
  return {
    reference: cellOf('reference'),
    vehicle: cellOf('vehicle'),
    carrier: carriers.find((carrier) => carrier.trim() !== '') ?? '',
    phone: cellOf('phone'),
  };
}

const BARE_NUMBER = /^\W*(\d+)\W*$/;
/** Whether nobody can tell what the number of the carrier is: a SCAC has letters. */
export const hasBareNumber = ({ carrier }: Row) => BARE_NUMBER.test(carrier);

/** Why a cell is asked back before the gateway checks it, for people. */
export function problemsOf(row: Row): Partial<Row> {
  const [, number] = BARE_NUMBER.exec(row.carrier) ?? [];
  const found = Object.entries(row).map(([name, cell]) => [name, spreadsheetProblem(cell as string)]);
  return {
    ...(number && { carrier: `MC or DOT? Type MC ${number} or DOT ${number}.` }),
    ...(Object.fromEntries(found.filter(([, problem]) => problem)) as Partial<Row>),
  };
}

export function toInput({ reference, vehicle, carrier, phone }: Row, kind: VehicleKind): TrackShipmentInput {
  const freightProviderReferenceNumber = reference;
  return {
    shipment:
      kind === 'hauler'
        ? { hauler: { freightProviderReferenceNumber, freightHaulerProviderXid: vehicle } }
        : { licensePlate: { freightProviderReferenceNumber, portalLicensePlate: vehicle } },
    carrier: toCarrier(carrier),
    driverPhoneNumber: phone,
    shipmentTrackingType: 'Mobile',
  };
}

export function toRow({ shipment, carrier, driverPhoneNumber }: TrackShipmentInput): Row {
  const { hauler, licensePlate } = shipment;
  return {
    reference: (hauler ?? licensePlate).freightProviderReferenceNumber,
    vehicle: hauler ? hauler.freightHaulerProviderXid : licensePlate.portalLicensePlate,
    carrier: fromCarrier(carrier),
    phone: driverPhoneNumber,
  };
}

/** The cells as the gateway sends them. */
export function sentCells(subject: TrackingSubject | undefined): Partial<Row> {
  const { shipment, carrier, driverPhoneNumber } = subject ?? {};
  const vehicle = shipment?.portalLicensePlate ?? shipment?.freightHaulerProviderXid;
  return {
    ...(shipment && { reference: shipment.freightProviderReferenceNumber }),
    ...(vehicle && { vehicle }),
    ...(carrier && { carrier: fromCarrier(carrier) }),
    ...(driverPhoneNumber && { phone: driverPhoneNumber }),
  };
}

/** For people: `U+200B` for what cannot be seen. */
export function showUnseen(text: string): string {
  return text.replace(/(?! )[\p{Z}\p{C}]/gu, (character) => {
    const number = character.codePointAt(0) ?? 0;
    return `U+${number.toString(16).toUpperCase().padStart(4, '0')}`;
  });
}

export const kindOf = ({ shipment }: TrackShipmentInput): VehicleKind =>
  shipment.hauler ? 'hauler' : 'licensePlate';

/** The field of the row for the name of an error. */
export function nameOf(name: string): keyof Row | undefined {
  if (name.endsWith('freightProviderReferenceNumber')) return 'reference';
  if (name.startsWith('shipment')) return 'vehicle';
  if (name.startsWith('carrier')) return 'carrier';
  return name === 'driverPhoneNumber' ? 'phone' : undefined;
}

function toCarrier(text: string): CarrierInput {
  const [, kind = '', number = ''] = /^\W*(mc|dot)\W*(\d+)\W*$/i.exec(text) ?? [];
  if (kind.toLowerCase() === 'mc') return { mc: number };
  if (kind.toLowerCase() === 'dot') return { dot: number };
  return { scac: text.toUpperCase() };
}

function fromCarrier({ mc, dot, scac }: Partial<Record<'mc' | 'dot' | 'scac', string | null>>): string {
  return scac ?? (mc ? `MC ${mc}` : `DOT ${dot}`);
}

/** Shipments of the mock service, in rows as they are in real life: with what people paste, and what is no number. */
export function sampleRows(): string {
  const rows = Array.from({ length: 300 }, (_, index) => {
    const number = index + 1;
    return [
      `REF-${1000 + number}`,
      `PLATE-${3000 + number}`,
      `EXM${'ABCD'.charAt(index % 4)}`,
      `(303) 555-0${100 + (number % 100)}`,
    ];
  });
  const set = (number: number, column: number, text: string) => rows[number - 1]?.splice(column, 1, text);
  set(3, 0, 'REF\u200b-1003'); // from a web page
  set(4, 3, '\u202a+13035550104\u202c'); // from contacts
  set(5, 3, 'tel:+1-303-555-0105'); // a link
  set(6, 1, '\ufeff\u00a0PLATE-3006 ');
  set(7, 3, '303-555-01');
  set(8, 3, '(303) 555-0108 x12');
  set(9, 3, '(303) 555-0109, (303) 555-0209');
  set(10, 3, '1234567890');
  set(14, 0, '"REF-1014\nREF-1015"');
  set(20, 0, 'REF-9999');
  rows[11] = rows[10] ?? []; // pasted twice
  return rows.map((cells) => cells.join('\t')).join('\n');
}
