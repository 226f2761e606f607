/** Rows of a spreadsheet, as the input of the tracking, and back. */
import type { CarrierInput, TrackShipmentInput } from '../generated/graphql';

export interface Row {
  reference: string;
  /** A license plate, or the identifier of a hauler. */
  vehicle: string;
  /** A SCAC, `MC 123456`, or `DOT 1234567`. */
  carrier: string;
  phone: string;
}

export type VehicleKind = 'licensePlate' | 'hauler';

/** The lines that are not empty. Spreadsheets separate cells by tabs when they are copied, and by commas or semicolons in files. */
export function parseRows(text: string): Row[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const cells = line.split(/[\t;,]/).map((cell) => cell.trim());
    const [reference = '', vehicle = '', carrier = '', phone = ''] = cells;
    return { reference, vehicle, carrier, phone };
  });
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
  const { mc, dot, scac } = carrier;
  return {
    reference: (hauler ?? licensePlate).freightProviderReferenceNumber,
    vehicle: hauler ? hauler.freightHaulerProviderXid : licensePlate.portalLicensePlate,
    carrier: scac ?? (mc ? `MC ${mc}` : `DOT ${dot}`),
    phone: driverPhoneNumber,
  };
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
  const [, kind = '', number = ''] = /^(mc|dot)\W*(\d+)$/i.exec(text) ?? [];
  if (kind.toLowerCase() === 'mc') return { mc: number };
  if (kind.toLowerCase() === 'dot') return { dot: number };
  return { scac: text.toUpperCase() };
}

/** The shipments of the mock service. Three rows are as bad as they are in real life: a phone number, a reference, and a row pasted twice. */
export function sampleRows(): string {
  const rows = Array.from({ length: 300 }, (_, index) => {
    const number = index + 1;
    const phone = number === 7 ? '303-555-01' : `(303) 555-0${100 + (number % 100)}`;
    const reference = number === 20 ? 'REF-9999' : `REF-${1000 + number}`;
    return [reference, `PLATE-${3000 + number}`, `EXM${'ABCD'.charAt(index % 4)}`, phone].join('\t');
  });
  rows[11] = rows[10] ?? '';
  return rows.join('\n');
}
