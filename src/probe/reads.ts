/** What the service shows when it is read: the token, the paths, the shape of what it returns. */
import { randomUUID } from 'node:crypto';
import type { NotificationRecord } from '../freight/contract.js';
import type { NotificationList } from '../freight/notificationBodies.js';
import { basePathOf, operations, type NotificationKey } from '../freight/operations.js';
import {
  isShipmentStatusChange,
  knownRecipientType,
  RecipientType,
  toShipmentStatus,
} from '../freight/vocabulary.js';
import { dateOf } from '../transport/response.js';
import { describeJson, type Observation } from './calls.js';
import type { Probe } from './report.js';

/** Reads the list, and returns an identifier of it; undefined if the service cannot be read, or has no notification. */
export async function probeReads(probe: Probe): Promise<string | undefined> {
  const list = await findList(probe);
  if (list === undefined) return undefined;
  probeConnection(probe, list);
  const { result } = list;
  if (result === undefined) return undefined;
  probeVocabulary(probe, result);
  return result.data[0]?.notificationGuid;
}

/** The response that has the list; its result is undefined if it cannot be read as one. */
async function findList(probe: Probe): Promise<Observation<NotificationList> | undefined> {
  const list = await probe.call(operations.listNotifications, {});
  if (list.status === undefined) {
    probe.failed('response', `expected a response to GET {NOTIFICATIONS_PATH}, got none: ${list.summary}`);
    return undefined;
  }
  if (list.status >= 300 && list.status < 400) return followRedirect(probe, list);
  if (list.status === 401 || list.status === 403) {
    const problem = list.status === 401 ? 'is valid' : 'may list notifications';
    if (probe.hasToken) probe.failed('token', `expected a token that ${problem}, got ${list.summary}`);
    else probe.assumed('token', `${list.summary}: PROBE_TOKEN or PROBE_TOKEN_FILE would show more`);
    return undefined;
  }
  if (list.status === 404 || list.status === 405) return findListPath(probe, list);
  return reportList(probe, list);
}

async function reportList(probe: Probe, list: Observation<NotificationList>) {
  const isPage = list.status === 200 && /^text\/html/.test(String(list.headers['content-type']));
  if (isPage) probe.failed('token', `expected a list, got a page, as of a sign-in: ${list.summary}`);
  else if (list.result === undefined) probe.failed('list', `expected a list, got ${list.summary}`);
  else {
    await probeToken(probe, list);
    probe.proven('NOTIFICATIONS_PATH', `${list.summary} ${describeJson(list.body)}`);
  }
  return list;
}

async function probeToken(probe: Probe, { summary }: Observation): Promise<void> {
  if (!probe.hasToken) return;
  const anonymous = await probe.call(operations.listNotifications, {}, { isAnonymous: true });
  if (anonymous.result === undefined)
    probe.proven('token', `with it ${summary}, without it ${anonymous.summary}`);
  else
    probe.assumed('token', 'the service lists notifications without a token, too: the first write shows it');
}

/** An account that has to sign in, or http where the service speaks https. */
async function followRedirect(probe: Probe, list: Observation<NotificationList>) {
  const { serviceUrl } = probe.settings();
  const location = String(list.headers['location'] ?? '');
  const target = URL.canParse(location, serviceUrl.href) ? new URL(location, serviceUrl) : undefined;
  const isUpgrade =
    target?.protocol === 'https:' &&
    serviceUrl.protocol === 'http:' &&
    target.hostname === serviceUrl.hostname;
  const saw = `${list.status ?? ''} to ${target ? `${target.origin}${target.pathname}` : 'nowhere'}`;
  if (!isUpgrade) {
    probe.failed('token', `expected a list, got ${saw}: sign in once, with the account of the token`);
    return undefined;
  }
  probe.contradicted('SERVICE_URL', `${target.origin}${basePathOf(serviceUrl)}`, saw);
  return reportList(probe, await probe.call(operations.listNotifications, {}));
}

/** Other paths on which services of this kind have the list. */
async function findListPath(probe: Probe, list: Observation<NotificationList>) {
  const { notificationsPath } = probe.settings();
  const last = notificationsPath.replace(/\/$/, '').split('/').at(-1) ?? '';
  const candidates = [
    `${notificationsPath.replace(/\/$/, '')}/`,
    `/${last}`,
    `/api/v1/${last}`,
    `/api/${last}`,
  ];
  for (const path of candidates.filter((each) => each !== notificationsPath)) {
    const other = await probe.call(
      operations.listNotifications,
      {},
      { settings: { notificationsPath: path } },
    );
    if (other.result === undefined) continue;
    await probeToken(probe, other);
    probe.contradicted('NOTIFICATIONS_PATH', path, `${list.summary}; at ${path}: ${other.summary}`);
    return other;
  }
  const advice = 'the path, or the base path in SERVICE_URL, is another one';
  probe.failed('NOTIFICATIONS_PATH', `expected a list, got ${list.summary}: ${advice}`);
  return undefined;
}

/** How the service sends: its clock, and what its headers tell. */
function probeConnection(probe: Probe, list: Observation<NotificationList>): void {
  const { headers } = list;
  const text = (name: string) => (headers[name] === undefined ? undefined : String(headers[name]));
  const dateMs = dateOf(list);
  if (dateMs === undefined) probe.assumed('clock', 'the responses have no Date: nothing compares it');
  else {
    const seconds = Math.round(Math.abs(Date.now() - dateMs) / 1000);
    if (seconds <= MAX_CLOCK_DIFFERENCE_S)
      probe.proven('clock', `${seconds} s from the clock of this machine`);
    else
      probe.failed(
        'clock',
        `expected at most ${MAX_CLOCK_DIFFERENCE_S} s from this machine's, got ${seconds} s`,
      );
  }
  const coding = text('content-encoding');
  if (coding === undefined) probe.assumed('compression', 'the list came without a content encoding');
  else probe.proven('compression', coding.slice(0, 40));
  const keepAlive = text('keep-alive') ?? text('connection');
  if (keepAlive === undefined)
    probe.assumed(
      'idle connections',
      'no header tells how long the service keeps them; the gateway finds out',
    );
  else probe.proven('idle connections', keepAlive.slice(0, 40));
  const limits = Object.keys(headers).filter((name) => /rate-?limit|^retry-after$/.test(name));
  if (limits.length === 0) probe.assumed('rate limit', 'no header tells of one; a 429 would');
  else
    probe.proven(
      'rate limit',
      limits.map((name) => `${name}: ${String(text(name)).slice(0, 40)}`).join(', '),
    );
}

const MAX_CLOCK_DIFFERENCE_S = 60;

/** What the notifications of the list have that the interface document leaves open. */
function probeVocabulary(
  probe: Probe,
  { data, unreadable = [], totalPossibleCount }: NotificationList,
): void {
  const total = data.length + unreadable.length;
  if (unreadable.length > 0)
    probe.failed(
      'unreadable notifications',
      `expected notifications of the contract, got ${unreadable.length} of ${total} others: ${unreadable[0]?.problem ?? ''}`,
    );
  else if (total === 0) probe.assumed('notifications', 'the list is empty: --probe-writes would show one');
  else probe.proven('notifications', `all ${total} can be read`);
  if (totalPossibleCount == null) probe.assumed('totalPossibleCount', 'the list has none: clients get null');
  else probe.proven('totalPossibleCount', `${totalPossibleCount}, with ${total} in the list`);

  const spellings = distinct(
    data
      .map(({ notificationRecipientType }) => notificationRecipientType)
      .filter((type) => knownRecipientType(type) === RecipientType.StopLevel),
  );
  probeStopLevel(probe, spellings);
  const labels = distinct(data.map(({ notificationTypeLabel }) => notificationTypeLabel));
  const subtypes = distinct(data.flatMap(({ notificationTypes }) => notificationTypes));
  reportWords(probe, 'labels', labels, isShipmentStatusChange);
  reportWords(probe, 'subtypes', subtypes, (subtype) => toShipmentStatus(subtype) !== undefined);
  reportShapes(
    probe,
    'filters',
    data.flatMap(({ filters }) => filters),
  );
  const metaData = data.flatMap(({ notificationMetaData }) => notificationMetaData ?? []);
  reportShapes(probe, 'notificationMetaData', metaData);
}

/** What the service has stored is what it accepts. */
export function probeStopLevel(probe: Probe, spellings: readonly string[]): void {
  const { stopLevelRecipientType } = probe.settings();
  const [spelling] = spellings;
  if (spelling === undefined) return;
  if (spellings.includes(stopLevelRecipientType))
    probe.proven('STOP_LEVEL_RECIPIENT_TYPE', `read as ${spellings.join(', ')}`);
  else probe.contradicted('STOP_LEVEL_RECIPIENT_TYPE', spelling, `read as ${spellings.join(', ')}`);
}

function reportWords(probe: Probe, point: string, words: string[], isKnown: (word: string) => boolean): void {
  if (words.length === 0) return;
  const others = words.filter((word) => !isKnown(word));
  const shown = others.filter((word) => /^\w{1,60}$/.test(word)).slice(0, 10);
  const more = others.length > shown.length ? ` and ${others.length - shown.length} more` : '';
  probe.proven(
    point,
    others.length === 0
      ? 'only what the interface document has'
      : `also ${shown.join(', ')}${more}, as \`other\``,
  );
}

function reportShapes(probe: Probe, point: string, values: readonly unknown[]): void {
  if (values.length === 0) probe.assumed(point, 'none was read: any JSON passes through');
  else probe.proven(point, distinct(values.map(describeJson)).slice(0, 3).join('; '));
}

/** Finds out where the identifier of a notification is sent, and what the response for one that does not exist looks like. */
export async function probeNotificationPath(probe: Probe, notificationGuid: string): Promise<void> {
  const { notificationPath } = probe.settings();
  const missing = { notificationGuid: randomUUID() };
  const configured = await readBy(probe, notificationPath, { notificationGuid });
  const path = configured.isFound
    ? notificationPath
    : await findNotificationPath(probe, notificationGuid, missing);
  const variable = 'NOTIFICATION_PATH';
  if (path === undefined) {
    probe.failed(variable, `expected the notification, got ${configured.observation.summary}`);
    return;
  }
  const absent = await readBy(probe, path, missing);
  if (path === notificationPath) probe.proven(variable, configured.observation.summary);
  else probe.contradicted(variable, path, `${configured.observation.summary}; at ${path} the notification`);
  reportMissing(probe, absent.observation);
}

/** Names by which services read an identifier from a query. */
const identifierNames = ['notificationGuid', 'guid', 'id', 'notificationId'];

async function findNotificationPath(
  probe: Probe,
  notificationGuid: string,
  missing: NotificationKey,
): Promise<string | undefined> {
  const base = probe.settings().notificationsPath.replace(/\/$/, '');
  const candidates = [
    `${base}/{notificationGuid}`,
    ...identifierNames.map((name) => `${probe.settings().notificationsPath}?${name}={notificationGuid}`),
  ];
  for (const path of candidates.filter((each) => each !== probe.settings().notificationPath)) {
    if (!(await readBy(probe, path, { notificationGuid })).isFound) continue;
    // A service that ignores the query responds with the same notifications to any identifier.
    if (!(await readBy(probe, path, missing)).isOfAnother) return path;
  }
  return undefined;
}

/** Reads the notification by a path. */
export async function readBy(probe: Probe, notificationPath: string, { notificationGuid }: NotificationKey) {
  const observation = await probe.call(
    operations.readNotification,
    { notificationGuid },
    { settings: { notificationPath } },
  );
  const { data = [] } = Object(observation.body) as { data?: readonly unknown[] };
  return {
    observation,
    /** Whether the response has this notification alone. */
    isFound: observation.result != null && data.length === 1,
    isOfAnother: observation.result == null && Array.isArray(data) && data.length > 0,
  };
}

function reportMissing(
  probe: Probe,
  { status, body, error, summary }: Observation<NotificationRecord | null>,
): void {
  const point = 'missing notification';
  if (status === 404 && error?.failure === 'notFound') {
    const form = body === undefined ? 'an empty body' : 'JSON';
    probe.proven(point, `404 with ${form}: after a deletion of unknown outcome, it proves the deletion`);
  } else if (error === undefined && status === 200)
    probe.proven(point, `${summary}: clients read null; it proves no deletion`);
  else probe.failed(point, `expected 404 with JSON or without a body, got ${summary}`);
}

export function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}

/** What a GET shows of the paths of writes: 405 (RFC 9110 section 15.5.6) proves that they exist, and any other status nothing. */
export async function probeShipmentPaths(probe: Probe): Promise<void> {
  for (const { operation, variable } of [
    { operation: operations.trackShipment, variable: 'TRACKING_PATH' },
    { operation: operations.deleteException, variable: 'EXCEPTION_PATH' },
  ] as const) {
    const { status, summary } = await probe.call(
      { ...operation, method: 'GET', parameters: () => ({}), read: () => Promise.resolve() },
      {},
    );
    if (status === 405) probe.proven(variable, `GET: ${summary}`);
    else probe.assumed(variable, `GET: ${summary}, which proves nothing; --probe-writes would show it`);
  }
}
