import { describe, expect, test } from 'vitest';
import { startGateway, TOKEN, useGateway, type TestGateway } from '../support/gateway/gateway.js';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { exchange, postOf } from '../support/http/rawHttp.js';
import {
  fieldNames,
  isMutation,
  validArguments,
  asVariables,
  type FieldName,
  type Operation,
} from '../support/graphql/rootFields.js';
import { forTest } from '../support/tools/useStarted.js';

const SHIPMENT_PARAMETERS = JSON.stringify({ PortalKey: '5ecret', Flag: true });
const DRY_RUN = { headers: { 'x-gateway-dry-run': '1' } };
const config = { telemetry: { exposeCalls: true } };
const tracingGateway = useGateway({ env: { SHIPMENT_PARAMETERS }, config });
const defaultGateway = useGateway();

const mutations = fieldNames.filter(isMutation);

describe.each(mutations)('A dry run of %s', (field) => {
  test('makes no REST call, traces the one it would make, and fails with DRY_RUN', async () => {
    const operation = asVariables(field, validArguments(field));
    expect(await executeAndRecord(tracingGateway, operation, DRY_RUN)).toEqual({
      status: 200,
      data: { [field]: null },
      errors: [
        {
          message: 'Dry run: the REST call was not sent',
          path: [field],
          extensions: { code: 'DRY_RUN', outcome: 'NOT_APPLIED', retryable: false },
        },
      ],
      calls: [],
    });
    const [traced, ...others] = (await traceOf(tracingGateway, operation, DRY_RUN.headers)) ?? [];
    await tracingGateway.execute(operation);
    const [sent, ...furtherCalls] = tracingGateway.takeCalls();
    expect([others, furtherCalls]).toEqual([[], []]);
    expect(traced).toMatchObject({ method: sent?.method, sent: false, shared: false });
    expect(traced?.request?.path).toBe(sent?.path);
    expect(traced?.request?.headers).toMatchObject({
      accept: 'application/json',
      authorization: 'Bearer $TOKEN',
    });
    const body = traced?.request?.body === undefined ? '' : JSON.stringify(traced.request.body);
    expect(body.replace('<PortalKey>', '5ecret').replace('"<Flag>"', 'true')).toBe(sent?.body);
  });

  test('validates the input', async () => {
    const { errors, calls } = await executeAndRecord(tracingGateway, asVariables(field, {}), DRY_RUN);
    expect(new Set(errors?.map(({ extensions }) => extensions['code']))).toEqual(new Set(['BAD_USER_INPUT']));
    expect(calls).toEqual([]);
  });
});

describe('The argument dryRun', () => {
  const withArgument = (field: FieldName, selection: string) => {
    const { query, variables } = asVariables(field, validArguments(field));
    const document = query
      .replace(/^mutation \(/, 'mutation ($dryRun: Boolean, ')
      .replace(`{ ${field}(`, `{ ${field}(dryRun: $dryRun, `)
      .replace(/\{[^{}]*\}( *\})$/, `{ ${selection} }$1`);
    return { query: document, variables: { ...variables, dryRun: true } };
  };

  test.each(mutations)('of %s validates it, like the header', async (field) => {
    const asData = withArgument(field, 'outcome evidence errors { code }');
    expect(await executeAndRecord(defaultGateway, asData)).toEqual({
      status: 200,
      data: { [field]: { outcome: 'NOT_APPLIED', evidence: 'NOT_SENT', errors: [] } },
      errors: undefined,
      calls: [],
    });
    const asError = await executeAndRecord(defaultGateway, withArgument(field, 'outcome'));
    expect([asError.errors?.map(({ extensions }) => extensions['code']), asError.calls]).toEqual([
      ['DRY_RUN'],
      [],
    ]);
  });

  test('concerns its field alone, and false is no dry run', async () => {
    const { query, variables } = withArgument('deleteNotification', 'evidence errors { code }');
    const [field = ''] = /deleteNotification.*(?= \})/.exec(query) ?? [];
    const document = query.replace(
      /\{ deleteNotification.*/,
      `{ ${field} sent: ${field.replace('$dryRun', 'false')} }`,
    );
    defaultGateway.injectFaults({ status: 204 });
    const { data, calls } = await executeAndRecord(defaultGateway, { query: document, variables });
    expect(data).toEqual({
      deleteNotification: { evidence: 'NOT_SENT', errors: [] },
      sent: { evidence: 'RESPONSE', errors: [] },
    });
    expect(calls.map((call) => call.split(' ')[0])).toEqual(['DELETE']);
  });

  test('of null is invalid, next to other errors of the input', async () => {
    const { query, variables } = withArgument('trackShipment', 'outcome');
    const input = { ...(variables as { input?: object }).input, driverPhoneNumber: 5 };
    const { errors } = await executeAndRecord(defaultGateway, {
      query,
      variables: { ...variables, input, dryRun: null },
    });
    expect(errors?.map(({ extensions }) => extensions['inputPath'])).toEqual([
      ['input', 'driverPhoneNumber'],
      ['dryRun'],
    ]);
  });
});

test('A dry run executes queries', async () => {
  const operation = asVariables('notifications', {});
  const { errors, calls } = await executeAndRecord(tracingGateway, operation, DRY_RUN);
  expect([errors, calls]).toEqual([undefined, ['GET /v1/customnotifications']]);
});

test.each(['0', 'true', ''])(
  'The value %j of x-gateway-dry-run is rejected before any REST call',
  async (value) => {
    const operation = asVariables('deleteNotification', validArguments('deleteNotification'));
    const { status, errors, calls } = await executeAndRecord(tracingGateway, operation, {
      headers: { 'x-gateway-dry-run': value },
    });
    expect({ status, errors, calls }).toEqual({
      status: 400,
      errors: [
        {
          message: 'Expected the header x-gateway-dry-run to be 1, got another value',
          extensions: { code: 'BAD_REQUEST', outcome: 'NOT_APPLIED', retryable: false },
        },
      ],
      calls: [],
    });
  },
);

describe('The header x-gateway-trace', () => {
  const TRACE = { 'x-gateway-trace': '1' };

  test('traces the REST calls of a read, including retries', async () => {
    tracingGateway.injectFaults({ status: 503, headers: { 'retry-after': '0' } });
    const trace = await traceOf(
      tracingGateway,
      asVariables('notification', { notificationGuid: "o'clock" }),
      TRACE,
    );
    const call = {
      method: 'GET',
      path: '/v1/customnotifications/{notificationGuid}',
      sent: true,
      shared: false,
      startMs: expect.any(Number) as number,
      durationMs: expect.any(Number) as number,
      curl: expect.stringMatching(
        /^curl -X GET "\$SERVICE_URL\/v1\/customnotifications\/o'clock" -H 'accept: application\/json' -H 'user-agent: [\w-]+' -H 'x-request-id: [\w-]+' -H "authorization: Bearer \$TOKEN"$/,
      ) as string,
    };
    expect(trace).toEqual([
      { ...call, attempt: 1, status: 503 },
      { ...call, attempt: 2, status: 404 },
    ]);
    const [first, retry] = trace ?? [];
    expect(retry?.startMs).toBeGreaterThanOrEqual(Number(first?.startMs));
    for (const { startMs, durationMs } of trace ?? [])
      expect(`${startMs} ${durationMs}`).toMatch(/^\d+(?:\.\d)? \d+(?:\.\d)?$/);
  });

  test('traces a shipment call without fixed parameters and the token', async () => {
    const operation = asVariables('trackShipment', validArguments('trackShipment'));
    const [call] = (await traceOf(tracingGateway, operation, TRACE)) ?? [];
    expect(call).toMatchObject({ method: 'POST', path: '/atlas/frexapi/shipment/track/', sent: true });
    expect(call?.curl).toContain(`curl -X POST "$SERVICE_URL/atlas/frexapi/shipment/track/"`);
    expect(call?.curl).toContain('"PortalKey":"<PortalKey>"');
    expect(JSON.stringify(call)).not.toMatch(new RegExp(`5ecret|${TOKEN.slice(0, 7)}|127\\.0\\.0\\.1`));
  });

  test('quotes a path that contains a character special to shells', async () => {
    const operation = asVariables('notification', { notificationGuid: "o'clock!" });
    const [call] = (await traceOf(tracingGateway, operation, TRACE)) ?? [];
    expect(call?.curl).toContain(`curl -X GET "$SERVICE_URL"'/v1/customnotifications/o'\\''clock!' -H`);
  });

  test('names SHIPMENT_SERVICE_URL in the curl command if it differs from SERVICE_URL', async () => {
    const env = { SHIPMENT_SERVICE_URL: 'https://shipments.example.com/api' };
    const gateway = await forTest(startGateway({ env, config }));
    const operation = asVariables('trackShipment', validArguments('trackShipment'));
    const [call] = (await traceOf(gateway, operation, DRY_RUN.headers)) ?? [];
    expect(call?.curl).toContain('curl -X POST "$SHIPMENT_SERVICE_URL/atlas/frexapi/shipment/track/"');
  });

  test('shows no token for a shipment call that is sent without one', async () => {
    const operation = asVariables('trackShipment', validArguments('trackShipment'));
    const headers = { ...TRACE, ...DRY_RUN.headers, authorization: '' };
    const [call] = (await traceOf(tracingGateway, operation, headers)) ?? [];
    expect(call?.request?.headers).toMatchObject({ accept: 'application/json' });
    expect(call?.request?.headers).not.toHaveProperty('authorization');
    expect(call?.curl).toMatch(/^curl -X POST "\$SERVICE_URL\/[\w/]+"( -H '[\w-]+: [^']*')+ -d '[^']*'$/);
  });

  test.each([
    ['if REST calls are not exposed', () => defaultGateway, TRACE],
    ['if it is missing', () => tracingGateway, {}],
    ['if its value is not 1', () => tracingGateway, { 'x-gateway-trace': 'yes' }],
  ])('returns no trace %s', async (_condition, gateway, headers) => {
    expect(await traceOf(gateway(), asVariables('notifications', {}), headers)).toBeUndefined();
  });
});

interface TracedCall {
  curl: string;
  startMs: number;
  durationMs?: number;
  request?: { path: string; headers: Record<string, string>; body?: unknown };
}

async function traceOf(gateway: TestGateway, operation: Operation, headers: Record<string, string>) {
  const { extensions } = await gateway.execute(operation, { headers });
  return extensions?.['trace'] as TracedCall[] | undefined;
}

describe('The header of a dry run', () => {
  const query = 'mutation { deleteNotification(notificationGuid: "any") { messages } }';
  const authorization = `authorization: Bearer ${TOKEN}`;
  const dryRun = 'x-gateway-dry-run: 1';

  test.each([
    ['has its effect after 1,500 other headers', [...Array<string>(1500).fill('a:'), dryRun], 200, 'DRY_RUN'],
    ['is rejected if it is repeated', [dryRun, dryRun], 400, 'BAD_REQUEST'],
  ])('%s', async (_behavior, headers, status, code) => {
    defaultGateway.takeCalls();
    const [response] = await exchange(
      defaultGateway.url,
      postOf(query, [authorization, ...headers, 'connection: close']),
    );
    const { errors } = JSON.parse(response?.body ?? '') as { errors: { extensions: { code: string } }[] };
    expect([response?.status, errors.map(({ extensions }) => extensions.code)]).toEqual([status, [code]]);
    expect(defaultGateway.takeCalls()).toEqual([]);
  });
});
