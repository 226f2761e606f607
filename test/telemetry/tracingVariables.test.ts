/** The variables of OpenTelemetry's specification, most of which the SDK reads itself, and what a span says behind a proxy. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readVersion } from '../../src/version.js';
import { startGateway } from '../support/gateway/gateway.js';
import { startCollector, type CollectedSpan, type Collector } from '../support/telemetry/collector.js';
import { PARENT_ID, TRACE_ID } from '../support/telemetry/traceContext.js';

const OK = '{ __typename }';

let collector: Collector;
beforeEach(async () => {
  collector = await startCollector();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await collector.stop();
});

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

describe('OTEL_TRACES_SAMPLER says which traces are exported:', () => {
  const sampled = (traceId = TRACE_ID) => ({ traceparent: `00-${traceId}-${PARENT_ID}-01` });
  const unsampled = { traceparent: `00-${TRACE_ID}-${PARENT_ID}-00` };
  /** Requests in the order: of a client that samples, of one that does not, and without a trace. */
  const requests = [sampled(), unsampled, {}];

  test.each<[string, string | undefined, number]>([
    ['always_on', undefined, 3],
    ['always_off', undefined, 0],
    ['traceidratio', '1', 3],
    ['traceidratio', '0', 0],
    ['parentbased_always_on', undefined, 2],
    ['parentbased_always_off', undefined, 1],
    ['parentbased_traceidratio', '1', 2],
    ['parentbased_traceidratio', '0', 1],
    ['', undefined, 2], // as parentbased_always_on
  ])('%s (OTEL_TRACES_SAMPLER_ARG=%s): %i of 3 requests', async (sampler, ratio = '', expected) => {
    const env = { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio };
    expect((await spansOf({}, requests, env)).length).toBe(expected);
  });

  test('traceidratio exports that share of the traces', async () => {
    const ids = Array.from({ length: 100 }, (_, index) =>
      (index * 0x28f5c29 + 1).toString(16).padStart(32, '0'),
    );
    const spans = await spansOf({}, ids.map(sampled), {
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    });
    expect(spans.map(({ traceId }) => traceId)).toEqual(ids.slice(0, spans.length));
    expect(spans.length).toBe(25);
  });
});

describe('the resource', () => {
  const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/;
  const defaults = {
    'service.name': 'shipment-graphql-gateway',
    'service.version': readVersion(),
    'service.instance.id': expect.stringMatching(UUID) as string,
    'process.pid': process.pid,
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.name': 'opentelemetry',
    'telemetry.sdk.version': expect.stringMatching(/^\d+\.\d+\.\d+$/) as string,
  };

  test.each<[string, Record<string, string>, Record<string, unknown>]>([
    ['has defaults', {}, defaults],
    [
      'has the name of OTEL_SERVICE_NAME',
      { OTEL_SERVICE_NAME: 'freight' },
      { ...defaults, 'service.name': 'freight' },
    ],
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

  test('has another instance ID in every process', async () => {
    await spansOf({});
    await spansOf({});
    expect(new Set(collector.resources.map((resource) => resource['service.instance.id'])).size).toBe(2);
  });
});

test('OTEL_EXPORTER_OTLP_HEADERS are headers of each export', async () => {
  await spansOf({ OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20secret==, api-key=secret' });
  expect(collector.requests.map(({ headers }) => headers)).toEqual([
    expect.objectContaining({ authorization: 'Basic secret==', 'api-key': 'secret' }),
  ]);
});

test('OTEL_SDK_DISABLED turns the export off, but not the propagation', async () => {
  const gateway = await startGateway({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SDK_DISABLED: 'TRUE' },
  });
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
      undefined,
      '127.0.0.1',
      undefined,
      undefined,
      'http',
    ]);
  });
});
