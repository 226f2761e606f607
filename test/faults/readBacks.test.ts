/** Updates and deletions whose responses are lost: how many outcomes a read makes certain, and that none of these is false. */
import { isDeepStrictEqual } from 'node:util';
import pMap from 'p-map';
import { Pool } from 'undici';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { splitEvidence, withEvidence } from '../support/graphql/evidence.js';
import { startInProcessGateway, type InProcessGateway } from '../support/gateway/inProcessGateway.js';
import { startFaultServer, type FaultServer } from '../support/service/faultServer.js';
import type { FaultPlan } from '../support/service/faults.js';
import { seededRandom } from '../support/tools/seededRandom.js';
import { sizes } from '../support/tools/scale.js';

vi.setConfig({ testTimeout: sizes.testTimeoutMs, hookTimeout: sizes.testTimeoutMs });

/**
 * Share of the writes that must end as a success if the service had their state when it was read, lost reads included. It depends
 * on how many reads a busy machine makes late, so that only the soak asserts it.
 */
const MIN_CONFIRMED_SHARE = sizes.isLong ? 0.95 : 0;

/** What becomes of one request. */
interface Fate {
  /** When a write is applied, in milliseconds from its arrival. @default never */
  appliedAfterMs?: number;
  /** @default the correct response */
  response?: FaultPlan;
  /** Changes what a read returns, as a service that stores other spellings does. */
  asRead?: (stored: StoredNotification) => StoredNotification;
}

type StoredNotification = Record<string, unknown> & { notificationGuid: string };

/** What the service has, what each write asked for (undefined for a deletion), and what the last read of each notification was told. */
const store = new Map<string, StoredNotification>();
const writes = new Map<string, { method: string; asked: StoredNotification | undefined }[]>();
const lastReads = new Map<string, { state: StoredNotification | undefined; isTold: boolean }>();
let fateOf: (method: string, guid: string) => Fate = () => ({ appliedAfterMs: 0 });

const plan: FaultServer['plan'] = ({ method, subject: guid, body }) => {
  const { response, appliedAfterMs, asRead = (stored) => stored } = fateOf(method, guid);
  if (method === 'GET') {
    const state = store.get(guid);
    lastReads.set(guid, { state, isTold: response === undefined });
    return response ?? found(state && asRead(state));
  }
  const asked = method === 'PUT' ? toStored(JSON.parse(body) as StoredNotification) : undefined;
  writes.set(guid, [...(writes.get(guid) ?? []), { method, asked }]);
  const apply = () => {
    if (asked) store.set(guid, asked);
    else store.delete(guid);
  };
  if (appliedAfterMs === 0) apply();
  else if (appliedAfterMs !== undefined) setTimeout(apply, appliedAfterMs);
  return response ?? (asked && found(asked));
};

function found(notification: StoredNotification | undefined): FaultPlan {
  const data = notification ? [notification] : [];
  return {
    kind: 'respond',
    status: notification ? 200 : 404,
    body: JSON.stringify({ data, messages: [], totalPossibleCount: data.length }),
  };
}

/** Phone numbers are stored as digits alone, and recipient types in one spelling. */
function toStored(body: StoredNotification): StoredNotification {
  const digits = (body['smsList'] as string[] | undefined)?.map((number) => number.slice(1));
  const notificationRecipientType = digits ? 'shipmentLevel' : 'stopLevel';
  return { ...body, notificationRecipientType, ...(digits && { smsList: digits }) };
}

let gateway: InProcessGateway;
let clients: Pool;
beforeAll(async () => {
  const service = await startFaultServer();
  service.plan = plan;
  gateway = await startInProcessGateway(service, {
    env: { SERVICE_TIMEOUT_MS: '250' },
    config: { service: { readBackTimeoutMs: 2000 } },
  });
  clients = new Pool(new URL(gateway.url).origin, { connections: 64 });
});
afterAll(async () => {
  await clients.destroy();
  await gateway.stop();
});

const random = seededRandom('read-backs');
const phones = ['+13035550100', '+447911123456', '+4930123456', '+12125550123'] as const;
const emails = ['dock@example.com', 'yard@example.com', 'gate@example.com'] as const;
const filters = [{ field: 'weight', range: { min: 1, max: 2 } }, 'rail', { mode: ['air', 'sea'] }];

/** The next definition, in the form of the REST service. */
function definition(name: string): Omit<StoredNotification, 'notificationGuid'> {
  const recipient = random.happens(0.6)
    ? {
        notificationRecipientType: 'shipmentLevel',
        emailList: random.shuffle(emails).slice(1),
        smsList: random
          .shuffle(phones)
          .slice(1 + random.below(3))
          .map((number) => number.slice(1)),
      }
    : {
        notificationRecipientType: 'stopLevel',
        notifyStopContactsByEmail: random.happens(0.5),
        notifyStopContactsBySms: random.happens(0.5),
      };
  return {
    notificationName: name,
    ...recipient,
    notificationTypeLabel: 'weather',
    notificationTypes: ['Storm', 'Snow'].slice(random.below(2)),
    filters: random.shuffle(filters).slice(random.below(3)),
  };
}

/** A write of one client, by the guid of its own notification. */
interface Attempt {
  guid: string;
  query: string;
  variables: Record<string, unknown>;
}

function attempt(index: number): Attempt {
  const guid = `notification-${index}`;
  store.set(guid, { notificationGuid: guid, ...definition(`Before ${index}`) });
  if (random.happens(0.4))
    return {
      guid,
      query:
        'mutation ($guid: ID!) { deleteNotification(notificationGuid: $guid) { notificationGuid messages } }',
      variables: { guid },
    };
  const { notificationName, notificationTypeLabel, notificationTypes, filters, ...fields } = definition(
    // Sometimes only another client's change tells the states apart.
    random.happens(0.1) ? `Before ${index}` : `After ${index}`,
  );
  const { emailList, smsList, notifyStopContactsByEmail, notifyStopContactsBySms } = fields;
  const whole = {
    notificationName,
    recipient:
      emailList === undefined
        ? { stopLevel: { notifyStopContactsByEmail, notifyStopContactsBySms } }
        : { shipmentLevel: { emailList, smsList: (smsList as string[]).map((digits) => `+${digits}`) } },
    trigger: { other: { notificationTypeLabel, notificationTypes } },
    filters,
  };
  const part = random.pick(['notificationName', 'recipient', 'filters'] as const);
  return {
    guid,
    query:
      'mutation ($guid: ID!, $input: UpdateNotificationInput!) { updateNotification(notificationGuid: $guid, input: $input) { notification { notificationName } messages } }',
    variables: { guid, input: random.happens(0.5) ? whole : { [part]: whole[part] } },
  };
}

const withStatus = (status: number): FaultPlan => ({ kind: 'respond', status });
const garbage: FaultPlan = { kind: 'respond', status: 200, body: 'x'.repeat(300) };

/** The fate of a write: its response never arrives in full. */
function writeFate(): Fate {
  const response = random.pick<FaultPlan>([
    { kind: 'cut', framing: 'length' },
    garbage,
    { kind: 'reset' },
    { kind: 'hang' },
    ...[500, 502, 503, 504].map(withStatus),
  ]);
  const when = random.below(10);
  if (when < 2) return { response };
  return { response, appliedAfterMs: when < 4 ? 1 + random.below(400) : 0 };
}

function readFate(): Fate {
  const dice = random.below(100);
  if (dice < 6)
    return { response: random.pick<FaultPlan>([{ kind: 'reset' }, ...[503, 502].map(withStatus)]) };
  if (dice < 8) return { response: random.pick<FaultPlan>([{ kind: 'hang' }, withStatus(500), garbage]) };
  if (dice === 8) return { asRead: masked };
  return dice < 40 ? { asRead: respelled } : {};
}

function masked(stored: StoredNotification): StoredNotification {
  const smsList = (stored['smsList'] as string[] | undefined)?.map((digits) => `***${digits.slice(-4)}`);
  return { ...stored, ...(smsList && { smsList }) };
}

function respelled(stored: StoredNotification): StoredNotification {
  const smsList = (stored['smsList'] as string[] | undefined)?.map((digits) => `+${digits}`);
  const reversed = Object.fromEntries(Object.entries(stored).reverse()) as StoredNotification;
  return {
    ...reversed,
    notificationRecipientType: String(stored['notificationRecipientType']).toUpperCase(),
    ...(smsList && { smsList }),
  };
}

/** The order of recipients means nothing: an update that changes it alone has the state that it asks for, applied or not. */
function comparable(stored: StoredNotification | undefined): StoredNotification | undefined {
  const sorted = (name: string) => (stored?.[name] as string[] | undefined)?.toSorted();
  return stored && { ...stored, emailList: sorted('emailList'), smsList: sorted('smsList') };
}

/** Sometimes, another client changes the notification between the write and the read. */
function interfere(guid: string): void {
  const before = store.get(guid);
  const changes = [
    () => store.delete(guid),
    () => before && store.set(guid, { ...before, notificationName: 'Of another client' }),
    () => before && store.set(guid, { ...before, filters: [] }),
    () => store.set(guid, { notificationGuid: guid, ...definition('Created again') }),
  ] as const;
  setTimeout(random.pick<() => unknown>(changes), random.below(60));
}

interface Result {
  data: Record<string, object | null>;
  errors?: { extensions: { outcome: string } }[];
  evidence: object | undefined;
}

async function send({ guid, query, variables }: Attempt): Promise<Result> {
  const { body } = await clients.request({
    path: '/graphql',
    method: 'POST',
    // One client each: the circuit of a client with so many failures would open.
    headers: { 'content-type': 'application/json', authorization: `Bearer ${guid}` },
    body: JSON.stringify({ query: withEvidence(query), variables }),
  });
  const { data, ...others } = (await body.json()) as Record<string, unknown>;
  return { ...others, ...splitEvidence(data) } as Result;
}

test(`of ${sizes.readBacks} updates and deletions that lost their responses, none is reported falsely`, async () => {
  store.set('first', { notificationGuid: 'first', ...definition('First') });
  await send({
    guid: 'first',
    query: '{ notification(notificationGuid: "first") { filters } }',
    variables: {},
  });
  fateOf = (method, guid) => {
    if (method === 'GET') return readFate();
    if (random.happens(0.15)) interfere(guid);
    return writeFate();
  };

  const count = { confirmed: 0, unknown: 0, visible: 0, visibleConfirmed: 0 };
  const failures: object[] = [];
  await pMap(
    Array.from({ length: sizes.readBacks }, (_, index) => index),
    async (index) => {
      const one = attempt(index);
      const { data, errors, evidence } = await send(one);
      const sent = writes.get(one.guid) ?? [];
      const [write] = sent;
      const outcome = errors?.[0]?.extensions.outcome ?? 'APPLIED';
      const isConfirmed = Object.values(evidence ?? {}).includes('READ_BACK');
      if (sent.length > 1) failures.push({ one, problem: 'sent twice' });
      if (outcome === 'NOT_APPLIED' && sent.length > 0)
        failures.push({ one, problem: 'sent, but NOT_APPLIED' });
      if (outcome === 'APPLIED' && !isConfirmed)
        failures.push({ one, data, problem: 'success without a read' });
      if (outcome !== 'NOT_APPLIED') count[isConfirmed ? 'confirmed' : 'unknown'] += 1;
      // `asked` is undefined for a deletion, and so is the state of a notification that is gone.
      const lastRead = lastReads.get(one.guid);
      const isVisible =
        write !== undefined &&
        lastRead !== undefined &&
        isDeepStrictEqual(comparable(lastRead.state), comparable(write.asked));
      // On a busy machine a write may time out before it arrives, and its state may be there all the same.
      if (isConfirmed && write && !(isVisible && lastRead.isTold))
        failures.push({ one, write, lastRead, data, problem: 'false success' });
      if (isVisible) count[isConfirmed ? 'visibleConfirmed' : 'visible'] += 1;
      gateway.logLines.length = 0;
    },
    { concurrency: 64 },
  );

  const shareOfVisible = count.visibleConfirmed / (count.visible + count.visibleConfirmed);
  const shareOfAll = count.confirmed / (count.confirmed + count.unknown);
  console.log(
    `${percent(shareOfAll)} of ${count.confirmed + count.unknown} unknown outcomes became certain,`,
    `${percent(shareOfVisible)} of those whose state the service had when it was read`,
  );
  expect(failures).toEqual([]);
  expect(count.visibleConfirmed).toBeGreaterThan(0);
  expect(shareOfVisible).toBeGreaterThanOrEqual(MIN_CONFIRMED_SHARE);
});

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
