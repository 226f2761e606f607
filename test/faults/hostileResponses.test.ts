/** Redirects, unusual statuses and contract violations: nothing is followed, and each gets its own error. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { redirected } from '../support/service/faultCases.js';
import {
  startFaultGateway,
  useFaultGateway,
  type GatewayResponse,
  type FaultGateway,
} from '../support/gateway/faultGateway.js';
import { about, failure } from '../support/graphql/faultOperations.js';
import { fieldNames } from '../support/graphql/rootFields.js';
import { startFaultServer, type FaultServer } from '../support/service/faultServer.js';
import { sizes } from '../support/tools/scale.js';

vi.setConfig({ testTimeout: sizes.testTimeoutMs, hookTimeout: sizes.testTimeoutMs });

const resultOf = ({ data, errors }: GatewayResponse) => ({ data, errors });

describe('a redirect', () => {
  let gateway: FaultGateway;
  let elsewhere: FaultServer;
  beforeAll(async () => {
    [gateway, elsewhere] = await Promise.all([startFaultGateway({ readsBack: false }), startFaultServer()]);
  });
  afterAll(() => Promise.all([gateway.stop(), elsewhere.stop()]));

  const targets: Readonly<Record<string, (own: string) => string>> = {
    'the same origin': (own) => `${own}/v1/customnotifications/elsewhere`,
    'a path of the same origin': () => '/v1/customnotifications/elsewhere',
    'another origin': () => `${elsewhere.url}/v1/customnotifications/elsewhere`,
    'another origin of the same scheme': () =>
      `//${new URL(elsewhere.url).host}/v1/customnotifications/elsewhere`,
  };

  test.each(
    [300, 301, 302, 303, 304, 307, 308].flatMap((status) =>
      Object.keys(targets).map((target) => ({ status, target })),
    ),
  )('$status to $target is not followed by any operation', async ({ status, target }) => {
    const { service } = gateway;
    const location = targets[target]?.(service.url) ?? '';
    service.plan = () => ({ kind: 'respond', status, headers: { location } });
    const sentBefore = service.requests.length;
    const responses = await Promise.all(
      fieldNames.map((field) => gateway.execute(about(field, `${field} ${status} ${target}`))),
    );
    expect(responses.map(resultOf)).toEqual(fieldNames.map((field) => failure(field, redirected(status))));
    expect(
      service.requests
        .slice(sentBefore)
        .map(({ subject }) => subject)
        .sort(),
    ).toEqual(fieldNames.map((field) => `${field} ${status} ${target}`).sort());
    expect(elsewhere.connections).toEqual([]);
  });
});

const shared = useFaultGateway({ readsBack: false });

test('a response that violates the contract is logged even if the client gets a result nevertheless', async () => {
  shared.service.plan = ({ method }) => ({ kind: 'respond', body: method === 'PUT' ? '' : '{"data":7}' });
  const linesBefore = shared.logLines.length;
  expect(resultOf(await shared.execute(about('updateNotification', 'updated')))).toEqual({
    data: { updateNotification: { notification: null, messages: [] } },
    errors: undefined,
  });
  const warnings = shared.logLines.slice(linesBefore).filter(({ level }) => level === 40);
  expect(warnings.map(({ msg }) => msg)).toEqual(['Upstream response violates the contract']);
});
