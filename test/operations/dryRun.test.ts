import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway, TOKEN, type GraphQLResponse, type TestGateway } from '../support/gateway/gateway.js';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { fieldNames, isMutation, validArguments, asVariables } from '../support/graphql/rootFields.js';

const SHIPMENT_PARAMETERS = JSON.stringify({ PortalKey: '5ecret', Flag: true });
const DRY_RUN = { headers: { 'x-gateway-dry-run': '1' } };
let open: TestGateway;
let closed: TestGateway;
beforeAll(async () => {
  open = await startGateway({ env: { EXPOSE_REST_CALLS: 'true', SHIPMENT_PARAMETERS } });
  closed = await startGateway();
});
afterAll(async () => {
  await open.stop();
  await closed.stop();
});

const mutations = fieldNames.filter(isMutation);

describe.each(mutations)('a dry run of %s', (field) => {
  test('sends nothing, shows the REST call as it would be sent, and is no success', async () => {
    const operation = asVariables(field, validArguments(field));
    expect(await executeAndRecord(open, operation, DRY_RUN)).toEqual({
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
    const [shown, ...others] = await traceOf(open, operation, DRY_RUN.headers);
    const [sent] = await callsOf(open, operation);
    expect(others).toEqual([]);
    expect(shown).toMatchObject({ method: sent?.method, sent: false, shared: false });
    expect(shown?.request?.path).toBe(sent?.path);
    expect(shown?.request?.headers).toMatchObject({
      accept: 'application/json',
      authorization: 'Bearer $TOKEN',
    });
    const body = shown?.request?.body === undefined ? '' : JSON.stringify(shown.request.body);
    expect(body.replace('<PortalKey>', '5ecret').replace('"<Flag>"', 'true')).toBe(sent?.body);
  });

  test('judges the input', async () => {
    const { errors } = await executeAndRecord(open, asVariables(field, {}), DRY_RUN);
    expect(new Set(errors?.map(({ extensions }) => extensions['code']))).toEqual(new Set(['BAD_USER_INPUT']));
  });

  test('shows nothing where callers may not see REST calls, and sends nothing either', async () => {
    const operation = asVariables(field, validArguments(field));
    const { errors, calls } = await executeAndRecord(closed, operation, DRY_RUN);
    expect([errors?.map(({ extensions }) => extensions['code']), calls]).toEqual([['DRY_RUN'], []]);
    expect(await traceOf(closed, operation, DRY_RUN.headers)).toBeUndefined();
  });
});

test('a dry run reads', async () => {
  const operation = asVariables('notifications', {});
  const { errors, calls } = await executeAndRecord(open, operation, DRY_RUN);
  expect([errors, calls]).toEqual([undefined, ['GET /v1/customnotifications']]);
});

test.each(['0', 'true', ''])('the header has to be 1: %j sends nothing', async (value) => {
  const operation = asVariables('deleteNotification', validArguments('deleteNotification'));
  const { status, errors, calls } = await executeAndRecord(open, operation, {
    headers: { 'x-gateway-dry-run': value },
  });
  expect({ status, errors, calls }).toEqual({
    status: 400,
    errors: [
      {
        message: 'Expected the header x-gateway-dry-run to be 1, got another value',
        extensions: { code: 'BAD_REQUEST', retryable: false },
      },
    ],
    calls: [],
  });
});

describe('with x-gateway-trace the REST calls are shown', () => {
  const TRACE = { 'x-gateway-trace': '1' };

  test('of a read, with its retries', async () => {
    open.injectFaults({ status: 503, headers: { 'retry-after': '0' } });
    const trace = await traceOf(open, asVariables('notification', { notificationGuid: "o'clock" }), TRACE);
    const call = {
      method: 'GET',
      path: '/v1/customnotifications/{notificationGuid}',
      sent: true,
      shared: false,
      durationMs: expect.any(Number) as number,
      curl: expect.stringMatching(
        /^curl -X GET "\$SERVICE_URL"'\/v1\/customnotifications\/o'\\''clock' -H 'accept: .*' -H "authorization: Bearer \$TOKEN"$/,
      ) as string,
    };
    expect(trace).toEqual([
      { ...call, attempt: 1, status: 503 },
      { ...call, attempt: 2, status: 404 },
    ]);
  });

  test('of a shipment, without fixed parameters and token', async () => {
    const operation = asVariables('trackShipment', validArguments('trackShipment'));
    const [call] = await traceOf(open, operation, TRACE);
    expect(call).toMatchObject({ method: 'POST', path: '/atlas/frexapi/shipment/track/', sent: true });
    expect(call?.curl).toContain(`curl -X POST "$SHIPMENT_SERVICE_URL"'/atlas/frexapi/shipment/track/'`);
    expect(call?.curl).toContain('"PortalKey":"<PortalKey>"');
    expect(JSON.stringify(call)).not.toMatch(new RegExp(`5ecret|${TOKEN.slice(0, 7)}|127\\.0\\.0\\.1`));
  });

  test.each([
    ['but not where callers may not see them', () => closed, TRACE],
    ['but not without the header', () => open, {}],
    ['but not with another value', () => open, { 'x-gateway-trace': 'yes' }],
  ])('%s', async (_what, gateway, headers) => {
    expect(await traceOf(gateway(), asVariables('notifications', {}), headers)).toBeUndefined();
  });
});

interface ShownCall {
  curl: string;
  request?: { path: string; headers: Record<string, string>; body?: unknown };
}

async function traceOf(
  gateway: TestGateway,
  operation: { query: string; variables?: Record<string, unknown> },
  headers: Record<string, string>,
): Promise<ShownCall[]> {
  const response = await fetch(gateway.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}`, ...headers },
    body: JSON.stringify(operation),
  });
  const { extensions } = (await response.json()) as GraphQLResponse & {
    extensions?: { trace?: ShownCall[] };
  };
  return extensions?.trace as ShownCall[];
}

async function callsOf(
  gateway: TestGateway,
  operation: { query: string; variables?: Record<string, unknown> },
) {
  gateway.takeCalls();
  await gateway.execute(operation.query, operation);
  return gateway.takeCalls();
}
