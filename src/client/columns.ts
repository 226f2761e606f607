/** The columns of a sheet: what each has by its header, what a row of them sends, and what a spreadsheet makes of a cell. */
import type { GatewayError } from './result.js';

export type BulkField =
  | 'trackShipments'
  | 'deleteExceptions'
  | `${'create' | 'update' | 'delete'}Notifications`;

/** The texts of a row, by the arguments that they become, which the `inputPath` of errors names, too. */
export type Cells = Readonly<Record<string, string>>;

interface BulkColumns {
  /** Patterns of headers in lower case, by the column that they name: one that is exact, and one that counts where no header is exact. */
  words: Readonly<Record<string, readonly [exact: RegExp, general?: RegExp]>>;
  /** The selection of a result that shows its row: by that, equal rows are found in any notation. */
  shows: string;
  /** The item that a row becomes. What is missing, the gateway says. */
  itemOf: (cells: Cells) => object;
}

const SHIPMENT: BulkColumns['words'] = {
  carrier: [/scac|mc\W*dot|dot\W*mc/, /carrier/],
  'carrier.mc': [/(?<![a-z])mc(?![a-z])/],
  'carrier.dot': [/(?<![a-z])(?:us)?dot(?![a-z])/],
  freightHaulerProviderXid: [/xid/, /hauler/],
  portalLicensePlate: [/plate/, /vehicle|truck/],
  freightProviderReferenceNumber: [/(?<![a-z])ref/, /(?<![a-z])(?:load|shipment|order)/],
};
const SHOWS_SHIPMENT =
  'shipment { freightProviderReferenceNumber freightHaulerProviderXid portalLicensePlate } carrier { mc dot scac }';
const NOTIFICATION: Omit<BulkColumns, 'itemOf'> = {
  words: {
    notificationGuid: [/guid|identifier|^id$/],
    ifLastUpdateDate: [/last\W*update\W*date/],
    emailList: [/mail/],
    smsList: [/sms|phone|mobile|(?<![a-z])cell/],
    shipmentStatusChange: [/status/],
    notificationName: [/notification\W*name|^name$/, /name/],
  },
  shows: 'notificationGuid',
};

export const FIELDS: Readonly<Record<BulkField, BulkColumns>> = {
  trackShipments: {
    words: { driverPhoneNumber: [/phone|mobile|(?<![a-z])cell/, /driver/], ...SHIPMENT },
    shows: `driverPhoneNumber ${SHOWS_SHIPMENT}`,
    itemOf: ({ driverPhoneNumber = '', ...cells }) => ({
      input: { ...shipmentOf(cells), driverPhoneNumber, shipmentTrackingType: 'Mobile' },
    }),
  },
  deleteExceptions: {
    words: {
      exceptionFileGuid: [/file/],
      exceptionGuid: [/exception\W*(?:gu)?id/, /exception/],
      ...SHIPMENT,
    },
    shows: `exceptionGuid exceptionFileGuid ${SHOWS_SHIPMENT}`,
    itemOf: ({ exceptionFileGuid, exceptionGuid = '', ...cells }) => ({
      input: { ...shipmentOf(cells), target: exceptionFileGuid ? { exceptionFileGuid } : { exceptionGuid } },
    }),
  },
  createNotifications: { ...NOTIFICATION, itemOf: (cells) => ({ input: definitionOf(cells) }) },
  updateNotifications: {
    ...NOTIFICATION,
    itemOf: (cells) => ({ ...notificationOf(cells), input: definitionOf(cells, true) }),
  },
  deleteNotifications: { ...NOTIFICATION, itemOf: notificationOf },
};

/**
 * The column of the item that each header names; undefined if it is not a header, and for a general one next to one that is exact: `Driver`
 * next to `Driver phone`. Several that are equally exact name the same column.
 */
export function columnsOf(field: BulkField, headers: readonly string[]): (string | undefined)[] {
  const words = Object.entries(FIELDS[field].words);
  const named = (level: 0 | 1) =>
    headers.map((header) => {
      const text = header.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
      return /\d/.test(text) ? undefined : words.find(([, patterns]) => patterns[level]?.test(text))?.[0];
    });
  const exact = named(0);
  return named(1).map((column, index) => exact[index] ?? (exact.includes(column) ? undefined : column));
}

/** The cells of a row. Of several cells for one column, the first counts. A carrier is in any of its three columns. */
export function cellsOf(texts: readonly string[], columns: readonly (string | undefined)[]): Cells {
  const cells: Record<string, string> = {};
  for (const [index, column] of columns.entries()) if (column) cells[column] ??= texts[index] ?? '';
  const { carrier, 'carrier.mc': mc, 'carrier.dot': dot, ...others } = cells;
  const carriers = [carrier, mc?.replace(BARE_NUMBER, 'MC $1'), dot?.replace(BARE_NUMBER, 'DOT $1')];
  return { ...others, carrier: carriers.find((text) => text?.trim()) ?? '' };
}

/** A carrier of which nobody can tell what its number is: a SCAC has letters. */
export const BARE_NUMBER: RegExp = /^\W*(\d+)\W*$/;

/** Questions to people before the gateway checks the cells, as errors of an item. */
export function problemsOf(cells: Cells): GatewayError[] {
  return Object.entries(cells).flatMap(([column, text]) => {
    const [, number] = (column === 'carrier' && BARE_NUMBER.exec(text)) || [];
    const [spoiled] = Object.entries(SPOILED).find(([, pattern]) => pattern.test(text.trim())) ?? [];
    const message = number ? `MC or DOT? Type MC ${number} or DOT ${number}.` : spoiled;
    return message ? { code: 'BAD_USER_INPUT', message, retryable: false, inputPath: ['input', column] } : [];
  });
}

/** Texts for people on how a spreadsheet has spoiled a cell, and what to do, with the pattern of such a cell. */
const SPOILED: Readonly<Record<string, RegExp>> = {
  'The spreadsheet has shortened this number, so digits are missing. Format the column as text there, or make it wider, and copy it again.':
    /^[+-]?\d(?:[.,]\d+)?E\+\d+$/i,
  'The spreadsheet has turned this into a decimal number, so digits may be missing. Format the column as text there, and type it again.':
    /^\+?\d{7,}[.,]0+$/,
  // In any language: the error has a mark at its end, or is the N/A of one of them.
  'The spreadsheet has an error here instead of a value: its formula has found nothing. Type the value.':
    /^#(?:N\/[AD]|NV|[\p{Lu}\d/_]+[!?])$|^Err:\d+$/u,
  'The column was too narrow to show the value. Make it wider, and copy it again.': /^#{2,}$/,
  'A ditto mark: type the value that it stands for.': /^(?:"|''|〃|״)$/,
};

/** A hauler is sent only where there is no plate. */
function shipmentOf(cells: Cells): object {
  const { freightProviderReferenceNumber = '', portalLicensePlate = '', carrier = '' } = cells;
  const { freightHaulerProviderXid } = cells;
  const shipment =
    freightHaulerProviderXid !== undefined && !portalLicensePlate
      ? { hauler: { freightProviderReferenceNumber, freightHaulerProviderXid } }
      : { licensePlate: { freightProviderReferenceNumber, portalLicensePlate } };
  const [, kind = '', number] = /^\W*(mc|dot)\W*(\d+)\W*$/i.exec(carrier) ?? [];
  return { shipment, carrier: number ? { [kind.toLowerCase()]: number } : { scac: carrier.toUpperCase() } };
}

function notificationOf({ notificationGuid = '', ifLastUpdateDate }: Cells): object {
  return { notificationGuid, ...(ifLastUpdateDate && { ifLastUpdateDate }) };
}

/** An update leaves as it is what has no text. */
function definitionOf(cells: Cells, isUpdate = false): object {
  const { notificationName = '', emailList = '', smsList = '', shipmentStatusChange = '' } = cells;
  const given = (text: string, value: unknown) => (isUpdate && !text ? undefined : value);
  const partsOf = (text: string) => text.split(/[,;\n]/).filter((part) => part.trim());
  const toStatus = (text: string) => text.trim().toUpperCase().replace(/\W+/g, '_');
  const recipient = { shipmentLevel: { emailList: partsOf(emailList), smsList: partsOf(smsList) } };
  const trigger = { shipmentStatusChange: partsOf(shipmentStatusChange).map(toStatus) };
  return {
    notificationName: given(notificationName, notificationName),
    recipient: given(emailList + smsList, recipient),
    trigger: given(shipmentStatusChange, trigger),
  };
}
