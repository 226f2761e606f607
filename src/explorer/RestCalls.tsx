import type { TracedCall } from './lastExchange.js';
import { RestCallRow } from './RestCallRow.js';

/** The REST calls of an operation on a common time axis, which starts with the request. */
export function RestCalls({ calls }: { calls: readonly TracedCall[] | undefined }) {
  const endMs = Math.max(0.1, ...(calls ?? []).map(({ startMs, durationMs = 0 }) => startMs + durationMs));
  return (
    <section className="rest-calls" aria-label="REST calls">
      <h2>
        REST calls
        {calls !== undefined && calls.length > 0 && (
          <span className="axis">
            <span>0 ms</span>
            <span>{endMs.toFixed(1)} ms</span>
          </span>
        )}
      </h2>
      {calls === undefined && (
        <p>The response does not list them. In production, that requires EXPOSE_REST_CALLS=true.</p>
      )}
      {calls?.length === 0 && <p>None: no call was needed, or the request was rejected before.</p>}
      <ol>
        {calls?.map((call, index) => (
          <RestCallRow key={index} call={call} endMs={endMs} />
        ))}
      </ol>
    </section>
  );
}
