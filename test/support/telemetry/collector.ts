/** A trace collector that speaks OTLP/HTTP with JSON. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

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
}

export interface Collector {
  readonly url: string;
  readonly spans: CollectedSpan[];
  /** `service.name` of the senders. */
  readonly serviceNames: Set<unknown>;
  /** Path, content type and body of each request. */
  readonly requests: { path: string | undefined; type: string | undefined; text: string }[];
  stop(): Promise<void>;
}

/** An OTLP attribute. The one member of `value` is named after its type, such as `stringValue`. */
type Attribute = { key: string; value: Record<string, unknown> };

interface Export {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      spans: (Omit<CollectedSpan, 'attributes'> & { attributes: Attribute[]; status: { code: number } })[];
    }[];
  }[];
}

/** A silent collector never responds. */
export async function startCollector({ isSilent = false, status = 200 } = {}): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const serviceNames = new Set<unknown>();
  const requests: Collector['requests'] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      requests.push({ path: request.url, type: request.headers['content-type'], text: JSON.stringify(body) });
      for (const { resource, scopeSpans } of (body as Export).resourceSpans) {
        serviceNames.add(valuesOf(resource.attributes)['service.name']);
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
          });
        }
      }
      if (!isSilent) response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    serviceNames,
    requests,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function valuesOf(attributes: Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
