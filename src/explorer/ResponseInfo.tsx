import { CopyButton } from './CopyButton.js';
import type { Exchange } from './lastExchange.js';

/** Status, time, size and request ID of a response. */
export function ResponseInfo({ exchange }: { exchange: Exchange }) {
  const { status, durationMs, bytes, requestId } = exchange;
  return (
    <section className="response-info" aria-label="Response">
      <span>{status ?? 'No response'}</span>
      <span>{durationMs.toFixed(1)} ms</span>
      <span>{formatBytes(bytes)}</span>
      {requestId !== undefined && (
        <span className="request-id">
          Request ID <code>{requestId}</code> <CopyButton label="Copy" text={() => requestId} />
        </span>
      )}
    </section>
  );
}

function formatBytes(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`;
}
