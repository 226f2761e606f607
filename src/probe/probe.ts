/** `--probe`: reads from the service what its interface document leaves open, says what it saw, and prints the variables to set. */
import { randomUUID } from 'node:crypto';
import { parseConfig, type Config } from '../config/config.js';
import { type GivenVariables, type VariableName, variables } from '../config/variables.js';
import { hasGuidPlaceholder } from '../domain/parameters.js';
import { printable, quote, quoteForShell } from '../domain/text.js';
import type { NotificationRecord } from '../freight/contract.js';
import type { NotificationList } from '../freight/notificationBodies.js';
import { basePathOf, operations, type ServiceSettings } from '../freight/operations.js';
import { isNotFound } from '../freight/restCall.js';
import {
  formatPhoneNumber,
  knownRecipientType,
  RecipientType,
  toShipmentStatus,
} from '../freight/vocabulary.js';
import { createProbeCalls, type Observation } from './calls.js';

/**
 * `proven`: the gateway is configured for what was seen. `set`: another habit was seen, and a variable has to have another value.
 * `failed`: something else keeps the gateway from working. `noted`: a habit that no variable changes. `open`: nothing was seen that tells.
 */
type Verdict = 'failed' | 'noted' | 'open' | 'proven' | 'set';

const SUBJECT_WIDTH = 'STOP_LEVEL_RECIPIENT_TYPE'.length;

interface Probe extends ReturnType<typeof createProbeCalls> {
  readonly hasToken: boolean;
  /** The settings in effect, with what has been found so far. */
  settings: ServiceSettings;
  /** `subject` is a variable, a member of notifications, or a few words. */
  report(verdict: Exclude<Verdict, 'set'>, subject: string, description: string): void;
  /** From here on, the variable has this value. */
  set(variable: VariableName, value: string, description: string): void;
}

/** Prints each finding when it is made, and returns the exit code: 1 if variables are to be set, or something keeps the gateway from working. */
export async function runProbe(
  config: Config & { SERVICE_URL: URL },
  given: GivenVariables,
  token: string | undefined,
  { stdout }: { stdout: Pick<NodeJS.WritableStream, 'write'> },
): Promise<0 | 1> {
  const { SERVICE_URL: serviceUrl } = config;
  const verdicts = new Set<Verdict>();
  const print = (verdict: Verdict, subject: string, description: string) => {
    verdicts.add(verdict);
    stdout.write(`${verdict.padEnd(6)}  ${subject.padEnd(SUBJECT_WIDTH)}  ${printable(description)}\n`);
  };
  const values: Partial<Record<VariableName, string>> = {};
  const probe: Probe = {
    ...createProbeCalls({ ...config, token }),
    hasToken: token !== undefined,
    settings: { ...config.service, serviceUrl },
    report: print,
    set(variable, value, description) {
      values[variable] = value;
      const { service, SERVICE_URL } = parseConfig({ ...given.environment, ...values }, given);
      probe.settings = { ...service, serviceUrl: SERVICE_URL ?? serviceUrl };
      print('set', variable, description);
    },
  };
  try {
    const list = await probeList(probe);
    if (list !== undefined) {
      reportDeviations(probe, list);
      await probeNotificationPath(probe, list);
    }
    await probeShipmentPaths(probe);
  } finally {
    await probe.stop();
  }
  const variables = Object.entries(values).map(([name, value]) => `${name}=${quoteForShell(value)}`);
  const advice = variables.length > 0 ? ['Add to .env, and probe again:', '', ...variables, ''] : [];
  const hasFailed = verdicts.has('failed');
  const next = hasFailed
    ? 'Fix what failed, and probe again.'
    : 'For what only writes can show, see docs/first-hour.md';
  stdout.write(['', ...advice, next, ''].join('\n'));
  return hasFailed || variables.length > 0 ? 1 : 0;
}

/** Finds the list, and sets the variables that lead to it; undefined if it is not found. */
async function probeList(probe: Probe): Promise<NotificationList | undefined> {
  const configured = probe.settings;
  const { list, settings, previous } = await findList(probe);
  const description = [...previous, list.description].join(', then ');
  if (list.result === undefined) {
    reportFailure(probe, { ...list, description }, previous.length > 0);
    return undefined;
  }
  const { serviceUrl, notificationsPath } = settings;
  if (serviceUrl.href !== configured.serviceUrl.href)
    probe.set('SERVICE_URL', serviceUrl.origin + basePathOf(serviceUrl), description);
  if (notificationsPath !== configured.notificationsPath)
    probe.set('NOTIFICATIONS_PATH', notificationsPath, description);
  else probe.report('proven', 'NOTIFICATIONS_PATH', list.description);
  return list.result;
}

/**
 * The list, or the response in its place. Frameworks redirect to the path with or without a slash, with a prefix or in another letter case,
 * and from http to https; behind a 404, services of this kind have the list at some other paths.
 */
async function findList({ call, settings: configured }: Probe) {
  const read = async (settings: ServiceSettings) => ({
    list: await call(operations.listNotifications, {}, settings),
    settings,
  });
  const previous: string[] = [];
  let latest = await read(configured);
  while (previous.length < 5) {
    const { list, settings } = latest;
    const next = list.target && settingsFor(list.target, settings);
    if (next === undefined) break;
    previous.push(list.description);
    latest = await read(next);
  }
  if (latest.list.status !== 404) return { ...latest, previous };
  const path = latest.settings.notificationsPath.replace(/\/$/, '');
  const last = path.slice(path.lastIndexOf('/'));
  for (const notificationsPath of [path, `${path}/`, last, `/api/v1${last}`, `/api${last}`]) {
    const other = await read({ ...latest.settings, notificationsPath });
    if (other.list.result !== undefined)
      return { ...other, previous: [...previous, latest.list.description] };
  }
  return { ...latest, previous };
}

/** The settings by which the list is read from a URL; undefined if they cannot be set, or the token must not be sent there. */
function settingsFor(
  { origin, hostname, protocol, pathname }: URL,
  settings: ServiceSettings,
): ServiceSettings | undefined {
  const { serviceUrl, notificationsPath } = settings;
  const isSecured = `${protocol} ${hostname}` === `https: ${serviceUrl.hostname}`;
  const basePath = basePathOf(serviceUrl);
  const prefix = pathname.endsWith(notificationsPath) ? pathname.slice(0, -notificationsPath.length) : '';
  const newBasePath = pathname.startsWith(`${basePath}/`) ? basePath : prefix;
  const path = variables.NOTIFICATIONS_PATH.schema.safeParse(pathname.slice(newBasePath.length));
  if ((origin !== serviceUrl.origin && !isSecured) || !path.success) return undefined;
  return { ...settings, serviceUrl: new URL(origin + newBasePath), notificationsPath: path.data };
}

/** Likely causes of a response in place of the list, by its status; 0 stands for no response. */
const causes: Readonly<Record<number, string>> = {
  0: ': check SERVICE_URL, proxies, and NODE_EXTRA_CA_CERTS if the issuer of a certificate is your own',
  401: ': the token, or a key in SERVICE_HEADERS, is missing or not valid',
  403: ': the service, or what is in front of it, does not permit the list',
  404: ': NOTIFICATIONS_PATH, or the path of SERVICE_URL, is another one',
};

function reportFailure(probe: Probe, list: Observation, isRedirected: boolean): void {
  const { status = 0, description, target } = list;
  let cause = causes[status] ?? '';
  if (target !== undefined) cause = ', which was not followed: no other host gets the token';
  else if (status === 200 && isRedirected) cause = ', as of a sign-in: sign in once, with its account';
  if (status === 405) {
    probe.report('proven', 'NOTIFICATIONS_PATH', description);
    probe.report('noted', 'list', 'there is none: clients cannot list notifications');
  } else if (status === 401 && !probe.hasToken)
    probe.report('open', 'list', `${description}: --token-file would show more`);
  else probe.report('failed', 'list', `expected the list, got ${description}${cause}`);
}

/** Names by which services read an identifier from a query. */
const identifierNames = ['notificationGuid', 'guid', 'id', 'notificationId'];

/** Finds out where the identifier of a notification is sent, and what the response for one that does not exist means. */
async function probeNotificationPath(probe: Probe, list: NotificationList): Promise<void> {
  const [known] = list.data;
  if (known === undefined) return;
  const { settings } = probe;
  const { notificationsPath, notificationPath: configured } = settings;
  const inQuery = identifierNames.map((name) => `${notificationsPath}?${name}={notificationGuid}`);
  const inPath = `${notificationsPath.replace(/\/$/, '')}/{notificationGuid}`;
  const seen: string[] = [];
  const paths = [...new Set([configured, inPath, ...inQuery])];
  for (const notificationPath of paths) {
    const read = (notificationGuid: string) =>
      probe.call(operations.readNotification, { notificationGuid }, { ...settings, notificationPath });
    const present = await read(known.notificationGuid);
    seen.push(`at ${notificationPath} ${present.description}`);
    const moved = present.target && pathIn(present.target, known.notificationGuid, settings);
    if (moved !== undefined && !paths.includes(moved)) paths.splice(seen.length, 0, moved); // the next one
    if (present.isBusy) {
      probe.report('open', 'NOTIFICATION_PATH', present.description);
      return;
    }
    if (present.result == null) continue;
    const absent = await read(randomUUID());
    // A service that ignores the query responds with the same notifications to any identifier.
    if (absent.status === 200 && absent.error !== undefined) continue;
    if (notificationPath === configured) probe.report('proven', 'NOTIFICATION_PATH', present.description);
    else probe.set('NOTIFICATION_PATH', notificationPath, [seen[0], seen.at(-1)].join('; '));
    const isProof = isNotFound(absent.error);
    const meaning = isProof || absent.result === null ? 'read null' : 'get an error instead of null';
    const deletion = `a deletion whose response is lost can${isProof ? '' : 'not'} be confirmed`;
    const description = `${absent.description}: clients ${meaning}, and ${deletion}`;
    if (!absent.isBusy) probe.report(isProof ? 'proven' : 'noted', 'missing notification', description);
    return;
  }
  probe.report('failed', 'NOTIFICATION_PATH', `expected a notification of the list, got ${seen.join('; ')}`);
}

/** The path template of the target of a redirect; undefined if the identifier is not in it, or the token must not be sent there. */
function pathIn(
  { origin, pathname, search }: URL,
  notificationGuid: string,
  { serviceUrl }: ServiceSettings,
): string | undefined {
  const basePath = basePathOf(serviceUrl);
  const path = (pathname + search).replaceAll(encodeURIComponent(notificationGuid), '{notificationGuid}');
  const { data } = variables.NOTIFICATION_PATH.schema.safeParse(path.slice(basePath.length));
  const isOfService = origin === serviceUrl.origin && path.startsWith(`${basePath}/`);
  return isOfService && data !== undefined && hasGuidPlaceholder(data) ? data : undefined;
}

/** 405 to a GET proves the path of a write (RFC 9110 §15.5.6), and any other status nothing. */
async function probeShipmentPaths(probe: Probe): Promise<void> {
  for (const write of Object.values(operations)) {
    if (write.baseUrl !== 'shipmentServiceUrl') continue;
    const read = { ...write, method: 'GET', parameters: () => ({}), read: () => undefined } as const;
    const { settings } = probe;
    const { origin } = settings.serviceUrl;
    let seen = await probe.call(read, {}, settings);
    let description = `GET: ${seen.description}`;
    if (seen.status === 404 && !settings.shipmentServiceUrl && basePathOf(settings.serviceUrl) !== '') {
      seen = await probe.call(read, {}, { ...settings, shipmentServiceUrl: new URL(origin) });
      description += `; without the path of SERVICE_URL: ${seen.description}`;
      if (seen.status === 405) probe.set('SHIPMENT_SERVICE_URL', origin, description);
    }
    if (seen.status === 405) probe.report('proven', write.pathVariable, description);
    else probe.report('open', write.pathVariable, `${description}, which settles nothing`);
  }
}

/** Reports what of the notifications deviates, and what that means for clients. No variable changes that. */
function reportDeviations(probe: Probe, list: Omit<NotificationList, 'messages'>): void {
  const { data, unreadable = [], totalPossibleCount } = list;
  const [violation] = unreadable;
  const total = data.length + unreadable.length;
  if (total === 0) probe.report('open', 'notifications', 'the list is empty');
  if (totalPossibleCount == null) probe.report('noted', 'totalPossibleCount', 'is missing: clients get null');
  if (violation !== undefined) {
    const meaning = 'they are errors, and a list that has them needs the field `unreadable`';
    const description = `${unreadable.length} of ${total}, ${quote(violation.problem)}: ${meaning}`;
    probe.report('noted', 'unreadable notifications', description);
  }
  for (const [name, isDeviating, meaning] of deviations) {
    const affected = data.filter(isDeviating).length;
    if (affected > 0) probe.report('noted', name, `${meaning} (${affected} of ${total} notifications)`);
  }
  // The service accepts the spelling that it has stored.
  const types = new Set(data.map(({ notificationRecipientType }) => notificationRecipientType));
  const spellings = [...types].filter((type) => knownRecipientType(type) === RecipientType.StopLevel);
  const [spelling] = spellings;
  if (spelling === undefined) return;
  const description = `read as ${spellings.join(', ')}`;
  if (types.has(probe.settings.stopLevelRecipientType))
    probe.report('proven', 'STOP_LEVEL_RECIPIENT_TYPE', description);
  else probe.set('STOP_LEVEL_RECIPIENT_TYPE', spelling, description);
}

const EMAIL = /^[^\s@*]+@[^\s@*]+$/;
const isPhoneNumber = (text: string) => /^\+\d+$/.test(formatPhoneNumber(text));
const isUnreadable = (value: unknown) => value instanceof Error;
const typeOf = (record: NotificationRecord) => knownRecipientType(record.notificationRecipientType);
const isShipmentLevel = (record: NotificationRecord) => typeOf(record) === RecipientType.ShipmentLevel;
const isNewStatus = (subtype: string) => toShipmentStatus(subtype) === undefined;

const UNREADABLE = 'cannot be read: clients get null and an error';
const MISSING = 'is missing: clients read it as empty, and an update must provide its own';
const MASKED =
  'has values in another format: clients read them as they are, and an update must provide its own list';

/** Members, in which notifications they deviate, and what that means. */
const deviations: readonly [string, (record: NotificationRecord) => boolean, string][] = [
  ['lastUpdateDate', (each) => isUnreadable(each.lastUpdateDate), UNREADABLE],
  [
    'lastUpdateDate',
    (each) => each.lastUpdateDate == null,
    'is null for clients: no `ifLastUpdateDate` matches',
  ],
  ['lastUpdateUserName', (each) => isUnreadable(each.lastUpdateUserName), UNREADABLE],
  ['lastUpdateUserName', (each) => each.lastUpdateUserName == null, 'is null for clients'],
  ['notificationMetaData', (each) => isUnreadable(each.notificationMetaData), UNREADABLE],
  ['emailList', (each) => each.emailList === undefined && isShipmentLevel(each), MISSING],
  ['smsList', (each) => each.smsList === undefined && isShipmentLevel(each), MISSING],
  ['emailList', ({ emailList }) => emailList?.some((text) => !EMAIL.test(text)) === true, MASKED],
  ['smsList', ({ smsList }) => smsList?.some((text) => !isPhoneNumber(text)) === true, MASKED],
  ['notificationRecipientType', (each) => !typeOf(each), 'is unknown: clients get `OtherRecipient`'],
  [
    'notificationTypes',
    (each) => each.notificationTypes.some(isNewStatus),
    'has some without a `ShipmentStatus`',
  ],
];
