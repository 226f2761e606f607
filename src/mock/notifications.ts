/** The mock's notifications: their records and sample data, the store, its formats, and the handlers of the operations. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpError } from './errors.js';

/** The fields that a client sets: schema NotificationFields of the contract. */
export interface NotificationFields {
  notificationName: string;
  notificationRecipientType: string;
  notificationTypeLabel: string;
  notificationTypes: string[];
  notifyStopContactsByEmail?: boolean;
  notifyStopContactsBySms?: boolean;
  emailList?: string[];
  smsList?: string[];
  filters?: unknown[];
}

export interface Notification extends Required<NotificationFields> {
  notificationGuid: string;
  notificationMetaData: unknown;
  lastUpdateUserName: string;
  lastUpdateDate: string;
}

export interface Envelope {
  data: Notification[];
  messages: unknown[];
  totalPossibleCount: number;
}

/** The sample data. Reads the file on every call: services must not share records. */
export function readNotifications(): Notification[] {
  // The relative path is the same from src/mock/ and dist/mock/.
  const file = new URL('../../seeds/data/notifications.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Notification[];
}

interface ByGuid {
  Params: { notificationGuid: string };
}

/** Tokens are opaque to this service, so all clients are one user. */
const USER_NAME = 'mock.user';

/** The notifications with handlers keyed by the contract's operationIds. Bodies and parameters are already validated. */
export function createNotifications(now: () => Date) {
  /** In creation order. */
  const byKey = new Map<string, Notification>();
  /** Restores the sample data. */
  const reset = () => {
    byKey.clear();
    for (const each of readNotifications()) byKey.set(key(each.notificationGuid), each);
  };
  reset();

  const find = ({ params: { notificationGuid } }: FastifyRequest<ByGuid>) => {
    const notification = byKey.get(key(notificationGuid));
    if (notification) return notification;
    throw new HttpError(404, [{ message: `There is no notification ${notificationGuid}.` }]);
  };
  /** Replaces every field except those that the service sets. */
  const put = (
    fields: NotificationFields,
    {
      notificationGuid,
      notificationMetaData,
    }: Pick<Notification, 'notificationGuid' | 'notificationMetaData'>,
  ) => {
    const notification = {
      notificationGuid,
      notificationMetaData,
      ...toStoredForm(fields),
      lastUpdateUserName: USER_NAME,
      lastUpdateDate: timestamp(now()),
    };
    byKey.set(key(notificationGuid), notification);
    return envelope([notification]);
  };

  const handlers = {
    createNotification: ({ body }: FastifyRequest<{ Body: NotificationFields }>) =>
      put(body, { notificationGuid: randomUUID(), notificationMetaData: null }),

    listNotifications: ({ query }: FastifyRequest<{ Querystring: PageParameters }>) => ({
      ...envelope(pageOf([...byKey.values()], query)),
      totalPossibleCount: byKey.size,
    }),

    readNotification: (request: FastifyRequest<ByGuid>) => envelope([find(request)]),

    updateNotification: (
      request: FastifyRequest<ByGuid & { Body: NotificationFields & { notificationGuid: string } }>,
    ) => {
      const { body, params } = request;
      if (key(body.notificationGuid) !== key(params.notificationGuid)) {
        const message = `must be ${params.notificationGuid}, as in the path`;
        throw new HttpError(400, [{ field: '/notificationGuid', message }]);
      }
      return put(body, find(request));
    },

    deleteNotification: (request: FastifyRequest<ByGuid>, reply: FastifyReply) => {
      byKey.delete(key(find(request).notificationGuid));
      return reply.code(204).send();
    },
  };
  return { handlers, reset };
}

function envelope(data: Notification[]): Envelope {
  return { data, messages: [], totalPossibleCount: data.length };
}

const DEFAULT_PAGE_SIZE = 20;

/** The contract documents no paging. These parameters are the mock's own, for front ends that want to try theirs. */
interface PageParameters {
  /** Counts from 1. @default 1 */
  page?: unknown;
  /** @default 20 */
  pageSize?: unknown;
}

/** Returns everything if the query has neither parameter, and nothing after the last page. */
function pageOf<Item>(items: Item[], { page, pageSize }: PageParameters): Item[] {
  if (page === undefined && pageSize === undefined) return items;
  const size = positiveInteger('pageSize', pageSize ?? String(DEFAULT_PAGE_SIZE));
  const start = (positiveInteger('page', page ?? '1') - 1) * size;
  return items.slice(start, start + size);
}

function positiveInteger(name: string, value: unknown): number {
  if (typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new HttpError(400, [
    { message: `${name} must be an integer of at least 1, got ${JSON.stringify(value)}` },
  ]);
}

/** GUIDs are case-insensitive (RFC 9562 §4). */
function key(guid: string): string {
  return guid.toLowerCase();
}

/** Clears the fields that do not apply to the recipient type, even if the client sent them. */
function toStoredForm(fields: NotificationFields): Required<NotificationFields> {
  const recipientType = fields.notificationRecipientType.toLowerCase();
  const hasContactLists = recipientType !== 'stoplevel';
  const hasStopContacts = recipientType !== 'shipmentlevel';
  return {
    notificationName: fields.notificationName,
    notificationRecipientType: fields.notificationRecipientType,
    notificationTypeLabel: fields.notificationTypeLabel,
    notificationTypes: fields.notificationTypes,
    notifyStopContactsByEmail: hasStopContacts && fields.notifyStopContactsByEmail === true,
    notifyStopContactsBySms: hasStopContacts && fields.notifyStopContactsBySms === true,
    emailList: (hasContactLists && fields.emailList) || [],
    smsList: ((hasContactLists && fields.smsList) || []).map(phoneDigits),
    filters: fields.filters ?? [],
  };
}

/** The service's storage format: digits only, with the country code 1 added to a ten-digit US number. */
function phoneDigits(number: string): string {
  if (number.startsWith('+')) return number.slice(1);
  return number.length === 10 ? `1${number}` : number;
}

const OFFSET_HOURS = -5;
const OFFSET = '-05:00';

/** The service's ISO 8601 format: seven fractional digits and an offset, never `Z`. */
function timestamp(date: Date): string {
  const local = new Date(date.getTime() + OFFSET_HOURS * 3_600_000).toISOString();
  return `${local.slice(0, -1)}0000${OFFSET}`;
}
