/**
 * A front end that has words for every error code and rule. It starts the mock service and a gateway from the installed package,
 * and prints the lines that a user would see for a few errors. It is written from the documentation alone.
 */
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
  OTHER_ITEM_INVALID: 'please correct the other rows',
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
  UNIQUE: () => 'must differ from the other rows',
};

/** The line that a user sees for an error. */
function describeError(error: ResponseError): string {
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

const requests = [
  {
    query: 'mutation ($input: NotificationInput!) { createNotification(input: $input) { messages } }',
    variables: {
      input: {
        notificationName: ' ',
        recipient: { shipmentLevel: { emailList: ['dock'], smsList: ['12'] } },
        trigger: { shipmentStatusChange: [] },
      },
    },
  },
  { query: 'mutation { deleteNotification(notificationGuid: "no-such-notification") { messages } }' },
  { token: 'demo-429', query: '{ notifications { totalPossibleCount } }' },
  { token: 'demo-hangup', query: 'mutation { deleteNotification(notificationGuid: "any") { messages } }' },
  { query: '{ color }' },
];

const service = await startMockService();
const config = parseConfig({
  NODE_ENV: 'production',
  IDEMPOTENCY_STORE: 'off',
  PORT: '0',
  DRAIN_DELAY_MS: '0',
  SERVICE_URL: service.url,
});
const gateway = await createGateway({ config, log: pino({ level: 'silent' }) });
const url = await gateway.listen();
for (const { token = 'demo', query, variables } of requests) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });
  const { errors = [] } = (await response.json()) as { errors?: ResponseError[] };
  for (const error of errors) console.log(describeError(error));
}
await gateway.stop();
await service.stop();
