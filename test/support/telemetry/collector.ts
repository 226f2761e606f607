/** A trace collector that speaks OTLP/HTTP with JSON; stands in for an OpenTelemetry Collector. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { serve } from '../http/serve.js';

export interface CollectedSpan {
  name: string;
  /** SpanKind in OTLP: 2 is SERVER, 3 is CLIENT. */
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  traceState: string | undefined;
  attributes: Record<string, unknown>;
  isError: boolean;
  /** Nanoseconds since 1970. */
  startTime: bigint;
  endTime: bigint;
}

export type Collector = Awaited<ReturnType<typeof startCollector>>;

/** HTTP status; a silent collector does not respond. It keeps the spans in any case. */
export type CollectorStatus = number | 'silent';

/** An OTLP attribute. The one member of `value` is named after its type, such as `stringValue`. */
type Attribute = { key: string; value: Record<string, unknown> };

interface Export {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      spans: (Omit<CollectedSpan, 'attributes' | 'endTime' | 'isError' | 'startTime'> & {
        attributes: Attribute[];
        status: { code: number };
        startTimeUnixNano: string;
        endTimeUnixNano: string;
      })[];
    }[];
  }[];
}

export async function startCollector({ status = 200 }: { status?: CollectorStatus } = {}) {
  let currentStatus = status;
  const spans: CollectedSpan[] = [];
  /** Attributes of the sender, once per request. */
  const resources: Record<string, unknown>[] = [];
  const requests: { path: string | undefined; headers: IncomingHttpHeaders; text: string }[] = [];
  const waiting: ServerResponse[] = [];
  const respondToWaiting = () => {
    if (currentStatus === 'silent') return;
    for (const response of waiting.splice(0))
      response
        .writeHead(currentStatus, { 'content-type': 'application/json' })
        .end(currentStatus < 400 ? '{}' : JSON.stringify(response.req.headers));
  };
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      requests.push({ path: request.url, headers: request.headers, text: JSON.stringify(body) });
      for (const { resource, scopeSpans } of (body as Export).resourceSpans) {
        resources.push(valuesOf(resource.attributes));
        for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
          const { name, kind, traceId, spanId, parentSpanId, traceState, status } = span;
          const attributes = valuesOf(span.attributes);
          spans.push({
            name,
            kind,
            traceId,
            spanId,
            parentSpanId,
            traceState,
            attributes,
            isError: status.code === 2,
            startTime: BigInt(span.startTimeUnixNano),
            endTime: BigInt(span.endTimeUnixNano),
          });
        }
      }
      waiting.push(response);
      respondToWaiting();
    });
  });
  return {
    ...(await serve(server)),
    spans,
    resources,
    requests,
    /** How it responds from now on, and to the requests that it has left without a response. */
    respondWith(status: CollectorStatus) {
      currentStatus = status;
      respondToWaiting();
    },
  };
}

function valuesOf(attributes: Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]));
}

function valueOf(value: Attribute['value']): unknown {
  const [single] = Object.values(value);
  const list = (single as { values?: Attribute['value'][] } | undefined)?.values;
  return list ? list.map(valueOf) : single;
}
