/** The variables of OpenTelemetry's specification, most of which the SDK reads itself, and what a span says behind a proxy. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readVersion } from '../../src/version.js';
import { startGateway } from '../support/gateway/gateway.js';
import { startCollector, type CollectedSpan, type Collector } from '../support/telemetry/collector.js';
import { PARENT_ID, TRACE_ID } from '../support/telemetry/traceContext.js';
import { forTest } from '../support/tools/useStarted.js';

const OK = '{ __typename }';

let collector: Collector;
beforeEach(async () => {
  collector = await forTest(startCollector());
});
afterEach(() => void vi.unstubAllEnvs());

/** The spans of requests with these headers to a gateway with these variables, and those of the SDK, which is then stopped. */
async function spansOf(
  env: Record<string, string>,
  requests: Record<string, string>[] = [{}],
  sdkEnv: Record<string, string> = {},
): Promise<CollectedSpan[]> {
  for (const [name, value] of Object.entries(sdkEnv)) vi.stubEnv(name, value);
  const gateway = await startGateway({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env } });
  for (const headers of requests) await gateway.execute(OK, { headers });
  await gateway.stop();
  return collector.spans;
}

test('OTEL_TRACES_SAMPLER says which traces are exported: by default those that the client samples', async () => {
  const traced = (flags: string) => ({ traceparent: `00-${TRACE_ID}-${PARENT_ID}-${flags}` });
  const requests = [traced('01'), traced('00'), {}];
  expect(await spansOf({}, requests)).toHaveLength(2);
  collector.spans.length = 0;
  expect(await spansOf({}, requests, { OTEL_TRACES_SAMPLER: 'always_on' })).toHaveLength(3);
});

describe('the resource', () => {
  const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/;
  const defaults = {
    'service.name': 'shipment-graphql-gateway',
    'service.version': readVersion(),
    'service.instance.id': expect.stringMatching(UUID) as string,
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.name': 'opentelemetry',
    'telemetry.sdk.version': expect.stringMatching(/^\d+\.\d+\.\d+$/) as string,
  };

  test.each<[string, Record<string, string>, Record<string, unknown>]>([
    ['has defaults', {}, defaults],
    [
      'prefers OTEL_RESOURCE_ATTRIBUTES to the defaults',
      {
        OTEL_RESOURCE_ATTRIBUTES:
          'service.name=gateway,service.version=9,service.instance.id=pod-1,team=a%2Cb%3Dc',
      },
      {
        ...defaults,
        'service.name': 'gateway',
        'service.version': '9',
        'service.instance.id': 'pod-1',
        team: 'a,b=c',
      },
    ],
    [
      'prefers OTEL_SERVICE_NAME to service.name of OTEL_RESOURCE_ATTRIBUTES',
      { OTEL_SERVICE_NAME: 'freight', OTEL_RESOURCE_ATTRIBUTES: 'service.name=gateway' },
      { ...defaults, 'service.name': 'freight' },
    ],
  ])('%s', async (_what, env, expected) => {
    await spansOf({}, [{}], env);
    expect(collector.resources).toEqual([expected]);
  });
});

test('OTEL_EXPORTER_OTLP_HEADERS are headers of each export', async () => {
  await spansOf({}, [{}], {
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20secret==, api-key=secret',
  });
  expect(collector.requests.map(({ headers }) => headers)).toEqual([
    expect.objectContaining({ authorization: 'Basic secret==', 'api-key': 'secret' }),
  ]);
});

test('OTEL_SDK_DISABLED turns the export off, but not the propagation', async () => {
  vi.stubEnv('OTEL_SDK_DISABLED', 'TRUE');
  const gateway = await startGateway({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  const traceparent = `00-${TRACE_ID}-${PARENT_ID}-01`;
  const { headers } = await gateway.execute(OK, { headers: { traceparent } });
  await gateway.stop();
  expect(headers.get('traceparent')).toBe(traceparent);
  expect(collector.requests).toEqual([]);
});

describe('of a request that claims to come from a proxy, a span has', () => {
  const forwarded = {
    'x-forwarded-for': '203.0.113.9',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'freight.example.com',
  };
  const attributesOf = async (env: Record<string, string>, headers: Record<string, string>) => {
    const [span] = await spansOf(env, [headers]);
    const names = ['client.address', 'network.peer.address', 'server.address', 'server.port', 'url.scheme'];
    return names.map((name) => span?.attributes[name]);
  };

  test('what the proxy says, with TRUST_PROXY', async () => {
    expect(await attributesOf({ TRUST_PROXY: '1' }, forwarded)).toEqual([
      '203.0.113.9',
      '127.0.0.1',
      'freight.example.com',
      443,
      'https',
    ]);
  });

  test('what the connection says, without', async () => {
    const port = expect.any(Number) as number;
    expect(await attributesOf({}, forwarded)).toEqual(['127.0.0.1', '127.0.0.1', '127.0.0.1', port, 'http']);
  });

  test('none of what is malformed or too long', async () => {
    const malformed = {
      'x-forwarded-for': 'canary',
      'x-forwarded-proto': 'canary',
      'x-forwarded-host': `${'x'.repeat(256)}.example`,
    };
    expect(await attributesOf({ TRUST_PROXY: '1' }, malformed)).toEqual([
      '127.0.0.1',
      '127.0.0.1',
      undefined,
      undefined,
      'http',
    ]);
  });
});
