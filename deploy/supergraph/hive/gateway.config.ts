/** Hive Gateway: `hive-gateway supergraph` reads this file. Environment: SUBGRAPH_TOKEN, that of the shipment gateway. */

interface ClientRequest {
  request: Request;
  subgraphName: string;
}

export const gatewayConfig = {
  // Composed with the subgraph name `freight`, by `hive` or `rover supergraph compose`.
  supergraph: './supergraph.graphql',
  /**
   * Milliseconds: more than 30 s of a list + 1.4 × SERVICE_TIMEOUT_MS of the gateway for each of 10 sequential
   * writes. Do not set `upstreamRetry` for this subgraph: it would send mutations twice.
   */
  upstreamTimeout({ subgraphName }: { subgraphName?: string }): number | undefined {
    return subgraphName === 'freight' ? 210_000 : undefined; // your timeouts for other subgraphs
  },
  propagateHeaders: {
    /** Hive Gateway itself sends X-Request-Id. */
    fromClientToSubgraphs({
      request,
      subgraphName,
    }: ClientRequest): Record<string, string | null | undefined> {
      if (subgraphName !== 'freight') return {}; // your rules for other subgraphs
      return {
        authorization: request.headers.get('authorization'),
        // Useful for operations with one mutation field; otherwise send the argument idempotencyKey.
        'idempotency-key': request.headers.get('idempotency-key'),
        // Without it, a dry run would be executed; the argument dryRun needs no header.
        'x-gateway-dry-run': request.headers.get('x-gateway-dry-run'),
        // Useful while Hive Gateway itself makes no spans (openTelemetry).
        traceparent: request.headers.get('traceparent'),
        tracestate: request.headers.get('tracestate'),
        'x-subgraph-token': process.env['SUBGRAPH_TOKEN'],
      };
    },
  },
};
