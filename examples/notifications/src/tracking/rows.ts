/** Rows of a spreadsheet, as the input of the tracking, and back. What their columns have, the package knows. */
import type { GatewayError } from 'shipment-graphql-client';
import {
  BARE_NUMBER,
  cellsOf,
  columnsOf,
  FIELDS,
  problemsOf as problemsOfCells,
} from 'shipment-graphql-client/columns';
import type { TrackingSubjectFragment as TrackingSubject, TrackShipmentInput } from '../generated/graphql';

export interface Row {
  reference: string;
  /** A license plate, or the identifier of a hauler. */
  vehicle: string;
  /** A SCAC, `MC 123456`, or `DOT 1234567`. */
  carrier: string;
  phone: string;
}

export type VehicleKind = 'licensePlate' | 'hauler';

export type Column = keyof Row | 'carrier.mc' | 'carrier.dot' | 'ignored';

const DEFAULT_COLUMNS: readonly Column[] = ['reference', 'vehicle', 'carrier', 'phone'];

/** What each column has: by the first row if that is a header, else in the order of the page. */
export function guessColumns(first: readonly string[] = []): { columns: Column[]; hasHeader: boolean } {
  const named = columnsOf('trackShipments', first).map((column = '') =>
    column === 'carrier.mc' || column === 'carrier.dot' ? column : nameOf(column),
  );
  const hasHeader = named.filter((column) => column !== undefined).length >= 2;
  const columns = first.map(
    (_cell, index) => (hasHeader ? named[index] : DEFAULT_COLUMNS[index]) ?? 'ignored',
  );
  return { columns, hasHeader };
}

export function assemble(texts: readonly string[], columns: readonly Column[]): Row {
  const { reference = '', vehicle = '', carrier = '', phone = '' } = cellsOf(texts, columns);
  return { reference, vehicle, carrier, phone };
}

export const hasBareNumber = ({ carrier }: Row) => BARE_NUMBER.test(carrier);

/** Why cells are asked back before the gateway checks them, for people. */
export const problemsOf = (row: Row): GatewayError[] => problemsOfCells(toCells(row, 'licensePlate'));

export function toInput(row: Row, kind: VehicleKind): TrackShipmentInput {
  const item = FIELDS.trackShipments.itemOf(toCells(row, kind)) as { input: TrackShipmentInput };
  return item.input;
}

const toCells = ({ reference, vehicle, carrier, phone }: Row, kind: VehicleKind) => ({
  freightProviderReferenceNumber: reference,
  [kind === 'hauler' ? 'freightHaulerProviderXid' : 'portalLicensePlate']: vehicle,
  carrier,
  driverPhoneNumber: phone,
});

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

/** The field of the row for the name of an error, or of a column of the package. */
export function nameOf(name: string): keyof Row | undefined {
  if (name.endsWith('freightProviderReferenceNumber')) return 'reference';
  if (/^shipment|Plate$|Xid$/.test(name)) return 'vehicle';
  if (name.startsWith('carrier')) return 'carrier';
  return name === 'driverPhoneNumber' ? 'phone' : undefined;
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

/** References of the mock service that lead to each outcome (docs/mock-service.md). */
export function rowsOfEveryOutcome(): string {
  return ['1001', '0000', '2020', '4000', '4030', '4040', '4290', '5000']
    .map((number, index) => {
      const plate = number === '1001' ? '3001' : number;
      return [`REF-${number}`, `PLATE-${plate}`, 'EXMA', `(303) 555-012${index}`].join('\t');
    })
    .join('\n');
}
