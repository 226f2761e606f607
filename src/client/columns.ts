/** The columns of a sheet: what each has by its header, what a row of them sends, and what a spreadsheet makes of a cell. */

/** The argument that each column becomes: its name is in the `inputPath` of errors. */
export const COLUMNS = {
  reference: 'freightProviderReferenceNumber',
  plate: 'portalLicensePlate',
  hauler: 'freightHaulerProviderXid',
  carrier: 'carrier',
  mc: 'carrier',
  dot: 'carrier',
  phone: 'driverPhoneNumber',
  file: 'exceptionFileGuid',
  exception: 'exceptionGuid',
  guid: 'notificationGuid',
  updated: 'ifLastUpdateDate',
  emails: 'emailList',
  phones: 'smsList',
  statuses: 'shipmentStatusChange',
  name: 'notificationName',
} as const;

export type Column = keyof typeof COLUMNS;
/** The texts of a row, by their columns. */
export type Cells = Readonly<Partial<Record<Column, string>>>;
export type BulkField =
  | 'trackShipments'
  | 'deleteExceptions'
  | 'createNotifications'
  | 'updateNotifications'
  | 'deleteNotifications';

/** Words in the header of a column, and what it has: the first that fit count. */
type Words = readonly (readonly [RegExp, Column])[];

const SHIPMENT: Words = [
  [/scac|mc\W*dot|dot\W*mc/i, 'carrier'],
  [/(?<![a-z])mc(?![a-z])/i, 'mc'],
  [/(?<![a-z])(?:us)?dot(?![a-z])/i, 'dot'],
  [/carrier/i, 'carrier'],
  [/hauler|xid/i, 'hauler'],
  [/plate|vehicle|truck/i, 'plate'],
  [/ref|load|shipment|order/i, 'reference'],
];
const NOTIFICATION: Words = [
  [/guid|identifier|^id$/i, 'guid'],
  [/last\W*update\W*date/i, 'updated'],
  [/mail/i, 'emails'],
  [/sms|phone|mobile|cell/i, 'phones'],
  [/status/i, 'statuses'],
  [/name/i, 'name'],
];

interface BulkColumns {
  words: Words;
  /** The item that a row becomes. What is missing, the gateway says. */
  itemOf: (cells: Cells) => object;
  /** What a result shows of its row: by that, equal rows are found in any notation. */
  shows: string;
}

const SHOWS_SHIPMENT =
  'shipment { freightProviderReferenceNumber freightHaulerProviderXid portalLicensePlate } carrier { mc dot scac }';

/** The columns of each bulk field. */
export const FIELDS: Readonly<Record<BulkField, BulkColumns>> = {
  trackShipments: {
    shows: `driverPhoneNumber ${SHOWS_SHIPMENT}`,
    words: [[/phone|mobile|cell|driver/i, 'phone'], ...SHIPMENT],
    itemOf: ({ phone = '', ...cells }) => ({
      input: { ...shipmentOf(cells), driverPhoneNumber: phone, shipmentTrackingType: 'Mobile' },
    }),
  },
  deleteExceptions: {
    shows: `exceptionGuid exceptionFileGuid ${SHOWS_SHIPMENT}`,
    words: [[/file/i, 'file'], [/exception/i, 'exception'], ...SHIPMENT],
    itemOf: ({ file, exception = '', ...cells }) => ({
      input: {
        ...shipmentOf(cells),
        target: file ? { exceptionFileGuid: file } : { exceptionGuid: exception },
      },
    }),
  },
  createNotifications: {
    shows: 'notificationGuid',
    words: NOTIFICATION,
    itemOf: (cells) => ({
      input: {
        notificationName: '',
        recipient: { shipmentLevel: { emailList: [], smsList: [] } },
        trigger: { shipmentStatusChange: [] },
        ...changesOf(cells),
      },
    }),
  },
  updateNotifications: {
    shows: 'notificationGuid',
    words: NOTIFICATION,
    itemOf: (cells) => ({ ...notificationOf(cells), input: changesOf(cells) }),
  },
  deleteNotifications: { shows: 'notificationGuid', words: NOTIFICATION, itemOf: notificationOf },
};

/** What a column has by its header; undefined for what is no header. */
export function columnOf(field: BulkField, header: string): Column | undefined {
  return /\d/.test(header) ? undefined : FIELDS[field].words.find(([words]) => words.test(header))?.[1];
}

/** The cells of a row. A column that several cells are assigned to has the first of them. A carrier has any of its three columns. */
export function cellsOf(texts: readonly string[], columns: readonly (Column | undefined)[]): Cells {
  const cells: Partial<Record<Column, string>> = {};
  for (const [index, column] of columns.entries()) if (column) cells[column] ??= texts[index] ?? '';
  const { carrier, mc, dot, ...others } = cells;
  const numbers = Object.entries({ MC: mc, DOT: dot }).map(([kind, text]) =>
    text?.replace(BARE_NUMBER, `${kind} $1`),
  );
  return { ...others, carrier: [carrier, ...numbers].find((text) => text?.trim()) ?? '' };
}

const BARE_NUMBER = /^\W*(\d+)\W*$/;
/** Whether nobody can tell what the number of a carrier is: a SCAC has letters. */
export const isBareNumber = (carrier: string): boolean => BARE_NUMBER.test(carrier);

/** Why cells are asked back before the gateway checks them, for people. */
export function problemsOf(cells: Cells): Partial<Record<Column, string>> {
  const [, number] = BARE_NUMBER.exec(cells.carrier ?? '') ?? [];
  const problems = Object.entries(cells).map(([column, text]) => [column, spreadsheetProblem(text)]);
  return {
    ...(number && { carrier: `MC or DOT? Type MC ${number} or DOT ${number}.` }),
    ...(Object.fromEntries(problems.filter(([, problem]) => problem)) as Cells),
  };
}

/** What happened to a cell in the spreadsheet, and what to do; undefined for a value. */
export function spreadsheetProblem(cell: string): string | undefined {
  return PROBLEMS.find(([pattern]) => pattern.test(cell.trim()))?.[1];
}

const PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [
    /^[+-]?\d(?:[.,]\d+)?E\+\d+$/i,
    'The spreadsheet has shortened this number, so its digits are missing. Format the column as text there, or make it wider, and copy it again.',
  ],
  [
    /^\+?\d{7,}[.,]0+$/,
    'The spreadsheet has made a decimal number of this, and digits may be missing. Format the column as text there, and type it again.',
  ],
  [
    // In any language: the error has a mark at its end, or is the N/A of one of them.
    /^#(?:N\/[AD]|NV|[\p{Lu}\d/_]+[!?])$|^Err:\d+$/u,
    'The spreadsheet has an error here instead of a value: its formula has found nothing. Type the value.',
  ],
  [/^#{2,}$/, 'The column was too narrow to show the value. Make it wider, and copy it again.'],
  [/^(?:"|''|〃|״)$/, 'A ditto mark: type the value that it stands for.'],
];

/** A hauler is sent only where there is no plate. */
function shipmentOf({ reference = '', plate = '', hauler, carrier = '' }: Cells): object {
  const freightProviderReferenceNumber = reference;
  const shipment =
    hauler !== undefined && !plate
      ? { hauler: { freightProviderReferenceNumber, freightHaulerProviderXid: hauler } }
      : { licensePlate: { freightProviderReferenceNumber, portalLicensePlate: plate } };
  const [, kind = '', number] = /^\W*(mc|dot)\W*(\d+)\W*$/i.exec(carrier) ?? [];
  return { shipment, carrier: number ? { [kind.toLowerCase()]: number } : { scac: carrier.toUpperCase() } };
}

function notificationOf({ guid = '', updated }: Cells): object {
  return { notificationGuid: guid, ...(updated && { ifLastUpdateDate: updated }) };
}

/** The members that have a cell: an update leaves the others as they are. */
function changesOf({ name, emails = '', phones = '', statuses }: Cells): object {
  const partsOf = (text: string) => text.split(/[,;\n]/).filter((part) => part.trim());
  const toStatus = (text: string) => text.trim().toUpperCase().replace(/\W+/g, '_');
  return {
    ...(name && { notificationName: name }),
    ...((emails || phones) && {
      recipient: { shipmentLevel: { emailList: partsOf(emails), smsList: partsOf(phones) } },
    }),
    ...(statuses && { trigger: { shipmentStatusChange: partsOf(statuses).map(toStatus) } }),
  };
}
