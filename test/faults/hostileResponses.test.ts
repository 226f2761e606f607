/** Answers that lead astray or break the contract: nothing follows them, and each is told for what it is. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { invalid, statusFailure, statusFault } from '../support/service/faultCases.js';
import {
  startFaultGateway,
  type GatewayResponse,
  type FaultGateway,
} from '../support/gateway/faultGateway.js';
import { about, failure, fieldNames, success, type Failure } from '../support/graphql/faultOperations.js';
import { notification, startFaultServer, type FaultServer } from '../support/service/faultServer.js';
import { sizes } from '../support/tools/scale.js';

vi.setConfig({ testTimeout: sizes.testTimeoutMs, hookTimeout: sizes.testTimeoutMs });

const endOf = ({ data, errors }: GatewayResponse) => ({ data, errors });

describe('a redirect', () => {
  let gateway: FaultGateway;
  let elsewhere: FaultServer;
  beforeAll(async () => {
    [gateway, elsewhere] = await Promise.all([startFaultGateway(), startFaultServer()]);
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
    [301, 302, 303, 307, 308].flatMap((status) => Object.keys(targets).map((target) => ({ status, target }))),
  )('$status to $target is not followed by any operation', async ({ status, target }) => {
    const { service } = gateway;
    const location = targets[target]?.(service.url) ?? '';
    service.plan = () => ({ kind: 'answer', status, headers: { location } });
    const begin = service.requests.length;
    const answers = await Promise.all(
      fieldNames.map((field) => gateway.execute(about(field, `${field} ${status} ${target}`))),
    );
    expect(answers.map(endOf)).toEqual(
      fieldNames.map((field) => failure(field, invalid('The service responded with a redirect', status))),
    );
    expect(
      service.requests
        .slice(begin)
        .map(({ subject }) => subject)
        .sort(),
    ).toEqual(fieldNames.map((field) => `${field} ${status} ${target}`).sort());
    expect(elsewhere.connections).toEqual([]);
  });
});

describe('every status', () => {
  let gateway: FaultGateway;
  beforeAll(async () => {
    gateway = await startFaultGateway({ env: { SERVICE_RETRIES: '0' } });
    await gateway.prime();
  });
  afterAll(() => gateway.stop());

  const failureOf = (status: number): Failure | undefined => {
    if (status >= 400) return statusFailure(status);
    return status >= 300 ? invalid('The service responded with a redirect', status) : undefined;
  };
  const emptyBody = invalid(
    'The response does not match the contract: the whole body: Invalid input: expected object, received undefined',
    204,
  );
  const hundreds = [200, 300, 400, 500].map((first) =>
    Array.from({ length: 100 }, (_, index) => first + index),
  );

  test.each(hundreds.map((statuses) => ({ first: statuses[0], statuses })))(
    'from $first on means what its class means',
    async ({ statuses }) => {
      gateway.service.plan = ({ subject }) =>
        Number(subject) < 400 ? { kind: 'answer', status: Number(subject) } : statusFault(Number(subject));
      for (const field of ['notification', 'deleteNotification'] as const) {
        const selections = statuses.map(
          (status) => `s${status}: ${field}(notificationGuid: "${status}") { notificationGuid }`,
        );
        const query = `${field === 'notification' ? 'query' : 'mutation'} { ${selections.join(' ')} }`;
        const { data, errors } = await gateway.execute({ query, variables: {} });
        const expected = statuses.map((status) => {
          // A read needs a body, which a 204 cannot have, and takes a 404 for an answer.
          if (field === 'notification' && status === 204) return { status, failure: emptyBody };
          const isAbsent = field === 'notification' && status === 404;
          return { status, isAbsent, failure: isAbsent ? undefined : failureOf(status) };
        });
        expect(data).toEqual(
          Object.fromEntries(
            expected.map(({ status, isAbsent, failure: expectedFailure }) => [
              `s${status}`,
              expectedFailure || isAbsent ? null : { notificationGuid: `${status}` },
            ]),
          ),
        );
        expect(errors ?? []).toEqual(
          expected.flatMap(({ status, failure: expectedFailure }) => {
            if (expectedFailure === undefined) return [];
            const { errors: presented } = failure(field, expectedFailure);
            const column = query.indexOf(`s${status}`) + 1;
            return presented.map((error) => ({
              ...error,
              path: [`s${status}`],
              locations: [{ line: 1, column }],
            }));
          }),
        );
      }
    },
  );

  test.each([102, 103] as const)('%i before the answer changes nothing', async (status) => {
    gateway.service.plan = () => ({ kind: 'interim', status });
    for (const field of fieldNames) {
      expect(endOf(await gateway.execute(about(field, `interim ${field}`)))).toEqual(
        success(field, `interim ${field}`),
      );
    }
  });
});

describe('an answer that breaks the contract', () => {
  let gateway: FaultGateway;
  beforeAll(async () => {
    gateway = await startFaultGateway();
  });
  afterAll(() => gateway.stop());

  const warningsSince = (begin: number) => gateway.logLines.slice(begin).filter(({ level }) => level === 40);

  const SECRET = 'a-value-of-the-service';
  const row = notification(SECRET, SECRET);
  const drifts: [name: string, value: unknown, problem: string][] = [
    ['no list', { data: { SECRET } }, '/data: Invalid input: expected array, received object'],
    ['no record', { data: [SECRET] }, '/data/0: Invalid input: expected object, received string'],
    [
      'several places',
      { data: [{ ...row, notificationTypes: SECRET, lastUpdateUserName: 5, lastUpdateDate: SECRET }] },
      '/data/0/notificationTypes: Invalid input: expected array, received string; /data/0/lastUpdateUserName: Invalid input: expected string, received number; /data/0/lastUpdateDate: Invalid ISO datetime',
    ],
  ];

  test.each(drifts)(
    'is told with its place and what was expected, and logged: %s',
    async (name, value, problem) => {
      const message = `The response does not match the contract: ${problem}`;
      const body = JSON.stringify(value);
      gateway.service.plan = () => ({ kind: 'answer', body });
      const fields = [
        'notification',
        'notificationsByGuid',
        'createNotification',
        'updateNotification',
      ] as const;
      for (const field of fields) {
        const requestId = `drift-${field}`;
        const begin = gateway.logLines.length;
        const answer = await gateway.execute(about(field, `${field} ${name}`), { requestId });
        expect(endOf(answer)).toEqual(failure(field, invalid(message), requestId));
        const lines = warningsSince(begin);
        expect(lines).toEqual([
          expect.objectContaining({
            level: 40,
            requestId,
            problem: message,
            msg: 'Upstream response violates the contract',
          }),
        ]);
        expect(JSON.stringify(lines)).not.toContain(SECRET);
      }
    },
  );

  test('loses none of its siblings where the schema allows a null', async () => {
    const subjects = ['first', 'drift', 'last'];
    gateway.service.plan = ({ subject }) =>
      subject === 'drift' ? { kind: 'answer', body: '{"data":7}' } : undefined;
    const { data, errors } = await gateway.execute({
      query:
        'query ($subjects: [ID!]!) { notificationsByGuid(notificationGuids: $subjects) { notificationGuid } }',
      variables: { subjects },
    });
    expect(data).toEqual({
      notificationsByGuid: [{ notificationGuid: 'first' }, null, { notificationGuid: 'last' }],
    });
    expect(errors).toEqual([
      expect.objectContaining({
        path: ['notificationsByGuid', 1],
        message:
          'The response does not match the contract: /data: Invalid input: expected array, received number',
      }),
    ]);
  });

  test('is logged even where the caller gets a result all the same', async () => {
    gateway.service.plan = ({ method }) => ({ kind: 'answer', body: method === 'PUT' ? '' : '{"data":7}' });
    const begin = gateway.logLines.length;
    const { data, errors } = await gateway.execute(about('updateNotification', 'updated'));
    expect({ data, errors }).toEqual({
      data: { updateNotification: { notification: null, messages: [] } },
      errors: undefined,
    });
    expect(warningsSince(begin).map(({ level, msg }) => ({ level, msg }))).toEqual([
      { level: 40, msg: 'Upstream response violates the contract' },
    ]);
  });
});
