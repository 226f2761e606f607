/**
 * A front end that shows every error code: it starts the mock service and gateways from the installed package, provokes
 * each code with one request, and prints the line that a user would see. It is written from the documentation alone.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createGateway, parseConfig } from 'shipment-graphql-gateway';
import {
  isGatewayError,
  type ErrorCode,
  type GatewayErrorExtensions,
  type InputRule,
} from 'shipment-graphql-gateway/errors';
import { startMockService } from 'shipment-graphql-gateway/testing';

interface ResponseError {
  message: string;
  path?: (string | number)[];
}

/** The words of this front end. The compiler insists on every code of the closed list. */
const sentences: Readonly<Record<ErrorCode, string>> = {
  BAD_USER_INPUT: 'please correct your input',
  UNAUTHENTICATED: 'please sign in',
  FORBIDDEN: 'you are not allowed to do this',
  NOT_FOUND: 'it does not exist',
  CONFLICT: 'somebody else has changed it',
  RATE_LIMITED: 'too many requests',
  SERVICE_REJECTED: 'the service rejected the request',
  SERVICE_UNAVAILABLE: 'the service is not available',
  SERVICE_TIMEOUT: 'the service took too long',
  SERVICE_ERROR: 'the service failed',
  SERVICE_RESPONSE_INVALID: 'the service sent an invalid response',
  QUERY_NOT_IN_SAFELIST: 'this version of the page is not supported',
  QUERY_TOO_COMPLEX: 'too much at once',
  DRY_RUN: 'the input is valid',
  IDEMPOTENCY_KEY_REUSED: 'the page used a key for two changes',
  IDEMPOTENCY_IN_PROGRESS: 'it is still being executed',
  IDEMPOTENCY_OUTCOME_UNKNOWN: 'nobody knows how the first attempt ended',
  IDEMPOTENCY_KEY_EXPIRED: 'the page was open for too long, or the clock is wrong',
  IDEMPOTENCY_UNAVAILABLE: 'it cannot be repeated safely',
  BAD_REQUEST: 'the page sent a malformed request',
  GRAPHQL_PARSE_FAILED: 'the page sent an operation with a syntax error',
  GRAPHQL_VALIDATION_FAILED: 'the page sent an operation that does not fit the schema',
  OPERATION_RESOLUTION_FAILURE: 'the page named an operation that it did not send',
  PERSISTED_QUERY_NOT_FOUND: 'the page sent the ID of an unknown operation',
  PERSISTED_QUERY_NOT_SUPPORTED: 'the page sent an ID instead of an operation',
  INTERNAL_SERVER_ERROR: 'something went wrong',
};

/** What the input should be, for each rule of the closed list. */
const expectations: Readonly<Record<InputRule, (limit: number) => string>> = {
  REQUIRED: () => 'is required',
  NOT_EMPTY: () => 'must not be empty',
  TYPE: () => 'has the wrong type',
  ENUM: () => 'is not one of the choices',
  ONE_OF: () => 'needs exactly one choice',
  UNKNOWN_FIELD: () => 'is unknown',
  EMAIL: () => 'must be an email address',
  PHONE_NUMBER: () => 'must be a phone number',
  UUID: () => 'must be a UUID',
  DATE_TIME: () => 'must be a date and time',
  CHARACTERS: () => 'has invalid characters',
  MAX_LENGTH: (limit) => `must have at most ${limit} characters`,
  MIN_ITEMS: (limit) => `needs at least ${limit}`,
  MAX_ITEMS: (limit) => `takes at most ${limit}`,
  MAX_BYTES: (limit) => `must have at most ${limit} bytes`,
  JSON: (limit) => `must be JSON of at most ${limit} levels`,
  RESERVED_NAME: () => 'must have another name',
};

/** The line that a user sees for an error. */
export function describeError(error: ResponseError): string {
  if (!isGatewayError(error)) return `(no error of the gateway) ${error.message}`;
  const { extensions, path } = error;
  const { code, field = path?.[0] } = extensions;
  const subject = field === undefined ? '' : ` ${field}:`;
  return `${code}${subject} ${problemOf(extensions)}. ${[outcomeOf(extensions), adviceOf(extensions)].filter(Boolean).join(' ')}`.trimEnd();
}

function problemOf({ code, inputPath, rule, limit = 0 }: GatewayErrorExtensions): string {
  if (rule === undefined || inputPath === undefined) return sentences[code];
  return `${inputPath.join('.')} ${expectations[rule](limit)}`;
}

function outcomeOf({ outcome, retryable }: GatewayErrorExtensions): string {
  if (outcome === undefined) return '';
  if (outcome === 'NOT_APPLIED') return 'Nothing was changed.';
  // With an idempotency key, a repeat may be safe without a look at what was changed.
  return retryable ? 'The change may have been made.' : 'The change may have been made: check first.';
}

function adviceOf({ retryable, retryAfterSeconds }: GatewayErrorExtensions): string {
  if (!retryable) return '';
  return retryAfterSeconds === undefined ? 'Try again.' : `Try again in ${retryAfterSeconds} s.`;
}

/** A request to one of the gateways. */
interface Provocation {
  gateway?: 'apq' | 'broken' | 'impatient' | 'keyed' | 'plain' | 'safelist' | 'unreachable';
  /** Null sends none. Those that start with `demo-` make the mock service fail. @default demo */
  token?: string | null;
  headers?: Record<string, string>;
  query?: string;
  variables?: object;
  /** The whole body, instead of the query and its variables. */
  body?: string;
  /** Another request, with these changes. Of two that are sent at the same time, the first response counts. */
  other?: { sent: 'before' | 'at the same time'; request?: Provocation };
}

const GUID = 'e124b63a-74ab-43ac-abaf-d7512394501a';
const CREATE = 'mutation ($input: NotificationInput!) { createNotification(input: $input) { messages } }';
const TRACK = 'mutation ($input: TrackShipmentInput!) { trackShipment(input: $input) { tracked } }';
const LIST = '{ notifications { totalPossibleCount } }';
const deletion = (guid: string, argument = '') =>
  `mutation { deleteNotification(notificationGuid: "${guid}"${argument}) { messages } }`;
const notification = {
  notificationName: 'Arrivals at the dock',
  recipient: { shipmentLevel: { emailList: ['dock@example.com'], smsList: ['(303) 555-0100'] } },
  trigger: { shipmentStatusChange: ['DELIVERED'] },
};
const tracking = {
  shipment: { hauler: { freightProviderReferenceNumber: 'REF-1001', freightHaulerProviderXid: 'XID-2001' } },
  carrier: { scac: 'ABCD' },
  driverPhoneNumber: '(303) 555-0100',
  shipmentTrackingType: 'Mobile',
};
const withKey = (key: string) => ({ 'idempotency-key': key });
const persistedId = { extensions: { persistedQuery: { version: 1, sha256Hash: 'f'.repeat(64) } } };

const provocations: Readonly<Record<ErrorCode, Provocation>> = {
  BAD_USER_INPUT: { query: deletion('x'.repeat(257)) },
  UNAUTHENTICATED: { token: null, query: LIST },
  FORBIDDEN: { token: 'demo-403', query: LIST },
  NOT_FOUND: { query: deletion('no-such-notification') },
  CONFLICT: { query: deletion(GUID, ', ifLastUpdateDate: "2000-01-01T00:00:00Z"') },
  RATE_LIMITED: { token: 'demo-429', query: CREATE, variables: { input: notification } },
  SERVICE_REJECTED: { token: 'rejected', query: CREATE, variables: { input: notification } },
  SERVICE_UNAVAILABLE: { gateway: 'unreachable', query: deletion(GUID) },
  SERVICE_TIMEOUT: { gateway: 'impatient', token: 'demo-slow', query: deletion(GUID) },
  SERVICE_ERROR: { token: 'demo-500', query: LIST },
  SERVICE_RESPONSE_INVALID: { token: 'demo-garbage', query: TRACK, variables: { input: tracking } },
  QUERY_NOT_IN_SAFELIST: { gateway: 'safelist', query: LIST },
  QUERY_TOO_COMPLEX: {
    query: `mutation { ${Array.from({ length: 11 }, (_, index) => `a${index}: ${deletion(GUID).slice(11, -2)}`).join(' ')} }`,
  },
  DRY_RUN: { headers: { 'x-gateway-dry-run': '1' }, query: deletion(GUID) },
  IDEMPOTENCY_KEY_REUSED: {
    gateway: 'keyed',
    headers: withKey('0b1f6f0e-2f0c-4d54-9a43-0f6f4f0f7a01'),
    query: CREATE,
    variables: { input: { ...notification, notificationName: 'Arrivals at the gate' } },
    other: { sent: 'before', request: { variables: { input: notification } } },
  },
  IDEMPOTENCY_IN_PROGRESS: {
    gateway: 'keyed',
    token: 'demo-slow',
    headers: withKey('0b1f6f0e-2f0c-4d54-9a43-0f6f4f0f7a02'),
    query: TRACK,
    variables: { input: tracking },
    other: { sent: 'at the same time' },
  },
  IDEMPOTENCY_OUTCOME_UNKNOWN: {
    gateway: 'keyed',
    token: 'demo-hangup',
    headers: withKey('0b1f6f0e-2f0c-4d54-9a43-0f6f4f0f7a03'),
    query: TRACK,
    variables: { input: tracking },
    other: { sent: 'before' },
  },
  // A key of version 7, made in 2022.
  IDEMPOTENCY_KEY_EXPIRED: {
    gateway: 'keyed',
    headers: withKey('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'),
    query: deletion(GUID),
  },
  IDEMPOTENCY_UNAVAILABLE: {
    headers: withKey('0b1f6f0e-2f0c-4d54-9a43-0f6f4f0f7a04'),
    query: deletion(GUID),
  },
  BAD_REQUEST: { body: '{ "query":' },
  GRAPHQL_PARSE_FAILED: { query: '{ notifications {' },
  GRAPHQL_VALIDATION_FAILED: { query: '{ color }' },
  OPERATION_RESOLUTION_FAILURE: {
    body: JSON.stringify({ query: `query Mine ${LIST}`, operationName: 'Yours' }),
  },
  PERSISTED_QUERY_NOT_FOUND: { gateway: 'apq', body: JSON.stringify(persistedId) },
  PERSISTED_QUERY_NOT_SUPPORTED: { body: JSON.stringify(persistedId) },
  // No request provokes a bug in the gateway, so one of ours does: this gateway gets a path that is not a string.
  INTERNAL_SERVER_ERROR: { gateway: 'broken', query: deletion(GUID) },
};

/** Further errors that a form shows. */
const invalidForms: readonly Provocation[] = [
  {
    query: CREATE,
    variables: {
      input: {
        notificationName: ' ',
        recipient: { shipmentLevel: { emailList: ['dock'], smsList: ['12'] } },
        trigger: { shipmentStatusChange: [] },
      },
    },
  },
  { headers: withKey('my-key'), query: deletion(GUID) },
  { query: TRACK, variables: { input: { ...tracking, carrier: { mc: '1', scac: 'ABCD' }, color: 'red' } } },
];

const folder = mkdtempSync(join(tmpdir(), 'every-error-'));
const manifest = join(folder, 'manifest.json');
writeFileSync(manifest, JSON.stringify({ 'some-id': '{ __typename }' }));

const service = await startMockService({
  faultFor: ({ headers }) =>
    headers.authorization === 'Bearer rejected' ? { status: 422, body: '{}' } : undefined,
});
const stopped = await startMockService();
await stopped.stop();

const start = async (env: Record<string, string> = {}, serviceOverrides: object = {}) => {
  const variables = {
    NODE_ENV: 'production',
    PORT: '0',
    DRAIN_DELAY_MS: '0',
    SERVICE_URL: service.url,
    ...env,
  };
  const { service: settings, ...config } = parseConfig(variables);
  const gateway = await createGateway({
    config: {
      ...config,
      SERVICE_URL: new URL(variables.SERVICE_URL),
      service: { ...settings, ...serviceOverrides },
    },
    log: pino({ level: 'silent' }),
  });
  return { url: await gateway.listen(), stop: () => gateway.stop() };
};
const gateways = {
  plain: await start(),
  apq: await start({ APQ_CACHE_BYTES: '100000' }),
  safelist: await start({ OPERATIONS_MANIFEST: manifest }),
  impatient: await start({ SERVICE_TIMEOUT_MS: '2000' }),
  keyed: await start({ IDEMPOTENCY_STORE: 'memory', SERVICE_TIMEOUT_MS: '2000' }),
  unreachable: await start({ SERVICE_URL: stopped.url }),
  broken: await start({}, { notificationPath: {} }),
};

async function send({ gateway = 'plain', token = 'demo', headers, query, variables, body }: Provocation) {
  const response = await fetch(gateways[gateway].url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json',
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: body ?? JSON.stringify({ query, variables }),
  });
  const { errors = [] } = (await response.json()) as { errors?: ResponseError[] };
  return errors;
}

async function provoke({ other, ...request }: Provocation) {
  if (other === undefined) return send(request);
  const otherResponse = send({ ...request, ...other.request });
  if (other.sent === 'before') await otherResponse;
  const errors = await Promise.race([send(request), ...(other.sent === 'before' ? [] : [otherResponse])]);
  await otherResponse;
  return errors;
}

for (const provocation of [...Object.values(provocations), ...invalidForms])
  for (const error of await provoke(provocation)) console.log(describeError(error));

for (const { stop } of Object.values(gateways)) await stop();
await service.stop();
rmSync(folder, { recursive: true });
