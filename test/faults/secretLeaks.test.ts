/** Secret leaks: the service echoes a canary for each secret everywhere; none leaves the gateway. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { statusFault } from '../support/service/faultCases.js';
import { startFaultGateway, type FaultGateway } from '../support/gateway/faultGateway.js';
import { about } from '../support/graphql/faultOperations.js';
import { fieldNames } from '../support/graphql/rootFields.js';
import type { FaultPlan } from '../support/service/faults.js';
import { notification, type ServiceRequest } from '../support/service/faultServer.js';
import { stubDns } from '../support/http/stubDns.js';
import { sizes } from '../support/tools/scale.js';

vi.setConfig({ testTimeout: sizes.testTimeoutMs, hookTimeout: sizes.testTimeoutMs });

describe('canary secrets', () => {
  const HOST = 'canary-host-7f3a.test';
  const CANARY_TOKEN = 'canary-token-91c2/+==';
  const SECRET = 'canary-secret-5d04';
  const HEADER = 'canary-header-3b8e';
  const canary = /canary-(?:host-7f3a|token-91c2|secret-5d04|header-3b8e)/i;
  let gateway: FaultGateway;
  let host: ReturnType<typeof stubDns>;
  let isResolved = true;
  beforeAll(async () => {
    host = stubDns(HOST, (reply) => {
      if (isResolved) reply(null, [{ address: '127.0.0.1', family: 4 }]);
      else reply(Object.assign(new Error(`getaddrinfo ENOTFOUND ${HOST}`), { code: 'ENOTFOUND' }), []);
    });
    gateway = await startFaultGateway({
      env: {
        SERVICE_TIMEOUT_MS: '3000', // enough for a busy machine to send every call
        SHIPMENT_PARAMETERS: JSON.stringify({ PortalKey: SECRET }),
        SERVICE_HEADERS: JSON.stringify({ 'X-Api-Key': HEADER }),
      },
      config: { service: { maxResponseBytes: 65_536 } },
      serviceUrl: (url) => url.replace('127.0.0.1', HOST),
    });
    gateway.service.plan = (request) => responses[nameIn(request.subject)]?.(request);
  });
  afterAll(async () => {
    host.restore();
    await gateway.stop();
  });

  /** Everything that the service has received. */
  const echoOf = ({ path, headers, body }: ServiceRequest) =>
    `${String(headers['authorization'])} ${String(headers['host'])} http://${HOST}${path} ${SECRET} ${String(headers['x-api-key'])} ${body}`;
  const headersOf = (request: ServiceRequest) => {
    const echo = echoOf(request);
    return {
      'x-echo': echo,
      'set-cookie': [`a=${encodeURIComponent(echo)}`, 'b=1'],
      'www-authenticate': `Bearer realm="${echo.replaceAll('"', "'")}"`,
      link: `<http://${HOST}>; rel=next`,
      server: HOST,
    };
  };

  const redirectTo = (echo: string) => `http://${echo}:${echo}@${HOST}/${echo}?token=${echo}#${echo}`;

  /** Whether a client may see the documented fields of any record in the response. So it may for a creation. */
  const isList = ({ method, path }: ServiceRequest) => method === 'GET' && path === '/v1/customnotifications';

  type Responder = (request: ServiceRequest) => FaultPlan;
  const respondWith = (
    body: (echo: string) => unknown,
    others: Partial<Extract<FaultPlan, { kind: 'respond' }>> = {},
  ): Responder => {
    return (request) => ({
      kind: 'respond',
      headers: headersOf(request),
      body: JSON.stringify(body(echoOf(request))),
      reason: echoOf(request).replaceAll(/[^ -~]/g, ''),
      ...others,
    });
  };
  const withHeaders = (headers: (echo: string) => Record<string, string>): Responder => {
    return (request) => ({
      kind: 'respond',
      headers: { ...headersOf(request), ...headers(echoOf(request)) },
    });
  };

  const responses: Readonly<Record<string, Responder>> = {
    ...Object.fromEntries(
      [400, 401, 403, 404, 409, 418, 422, 429, 500, 501, 503].map((status) => [
        `messages of ${status}`,
        respondWith(
          (echo) => ({
            messages: [echo, { message: echo, [echo]: { deep: [echo] } }],
            detail: echo,
            [echo]: 1,
          }),
          { status },
        ),
      ]),
    ),
    'a success with undocumented fields': (request) =>
      respondWith((echo) => ({
        data: [{ ...notification(request.subject, 'robin.planner'), echo, [echo]: echo }],
        messages: [],
        totalPossibleCount: 1,
        echo,
      }))(request),
    'a body of another shape': respondWith((echo) => ({
      data: echo,
      messages: echo,
      totalPossibleCount: echo,
    })),
    'a record of another shape': (request) =>
      respondWith((echo) => ({
        data: [
          {
            ...(isList(request) ? notification(request.subject, 'robin.planner') : notification(echo, echo)),
            notificationTypes: echo,
            emailList: { [echo]: echo },
            lastUpdateDate: echo,
          },
        ],
        messages: [],
        totalPossibleCount: echo,
      }))(request),
    'another record': (request) =>
      respondWith((echo) => ({
        data: isList(request) || request.method === 'POST' ? [] : [notification(echo, echo)],
        messages: [],
        totalPossibleCount: 0.5,
      }))(request),
    'a string': respondWith((echo) => echo),
    'broken JSON': (request) => ({
      kind: 'respond',
      headers: headersOf(request),
      body: `{"${echoOf(request)}`,
    }),
    HTML: (request) => ({
      kind: 'respond',
      headers: { ...headersOf(request), 'content-type': 'text/html' },
      body: `<p>${echoOf(request)}</p>`,
    }),
    'an error page': (request) => ({
      kind: 'respond',
      status: 500,
      headers: { ...headersOf(request), 'content-type': 'text/html' },
      body: `<p>${echoOf(request)}</p>`,
    }),
    'a redirect': (request) => ({
      kind: 'respond',
      status: 302,
      headers: { location: redirectTo(encodeURIComponent(echoOf(request))) },
    }),
    'a content type': withHeaders((echo) => ({ 'content-type': `text/${echo}` })),
    'a charset': withHeaders((echo) => ({ 'content-type': `application/json; charset="${echo}"` })),
    'a content coding': withHeaders((echo) => ({ 'content-encoding': echo })),
    'a Retry-After': (request) =>
      statusFault(503, { ...headersOf(request), 'retry-after': echoOf(request) } as unknown as Record<
        string,
        string
      >),
    garbage: (request) => ({ kind: 'garbage', bytes: Buffer.from(echoOf(request)) }),
    'headers that are too long': withHeaders((echo) => ({ 'x-long': echo.repeat(200) })),
    'a body that is too large': respondWith((echo) => ({ messages: Array<string>(1000).fill(echo) })),
    'a reset': () => ({ kind: 'reset' }),
    'a truncated body': () => ({ kind: 'cut', framing: 'length' }),
    'no response': () => ({ kind: 'hang' }),
  };

  /** Runs every operation; returns the responses and all log lines so far that contain a canary. */
  const leaks = async (name: string) => {
    const output = await Promise.all(
      fieldNames.map(async (field) => {
        const operation = about(field, `${field}: ${name}`);
        const { text, headers } = await gateway.execute(operation, { token: CANARY_TOKEN });
        return `${field}: ${text} ${JSON.stringify(headers)}`;
      }),
    );
    // Operators see whose circuit breaker opened, who sent an invalid response, and where a redirect leads.
    const logLines = gateway.logLines
      .filter(({ msg }) => !/^Circuit breaker/.test(String(msg)))
      .map(({ problem, ...line }) => ({
        ...line,
        origin: undefined,
        problem: String(problem).replace(`; 302 to http://${HOST}`, ''),
      }));
    return [...output, ...logLines.map((line) => JSON.stringify(line))].filter((text) => canary.test(text));
  };

  // One after the other, each after calls that succeed: with retries, some make the twenty failures in a row that open the circuit breaker,
  // and no call of another would reach the service.
  test.each(Object.keys(responses))('in %s appear in no response and no log line', async (name) => {
    await gateway.prime(1);
    expect(await leaks(name)).toEqual([]);
    const requests = gateway.service.requests.filter(({ subject }) => nameIn(subject) === name);
    const withToken = requests.filter((request) => echoOf(request).includes(CANARY_TOKEN));
    expect(new Set(withToken.map(({ subject }) => subject))).toEqual(
      new Set(fieldNames.map((field) => `${field}: ${name}`)),
    );
    const echoes = requests.map(echoOf);
    for (const each of [HOST, HEADER])
      expect(echoes.filter((echo) => echo.includes(each)).length).toBe(echoes.length);
  });

  test('appear nowhere if there is no connection', async () => {
    gateway.service.refuse();
    gateway.service.disconnect();
    expect(await leaks('port closed')).toEqual([]);
    isResolved = false;
    expect(await leaks('host unknown')).toEqual([]);
    isResolved = true;
    await gateway.service.accept();
  });
});

function nameIn(subject: string): string {
  return subject.replace(/^\w+: /, '');
}
