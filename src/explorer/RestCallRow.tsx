import { CopyButton } from './CopyButton.js';
import type { TracedCall } from './lastExchange.js';

interface RestCallRowProps {
  call: TracedCall;
  /** End of the time axis, in milliseconds. */
  endMs: number;
}

export function RestCallRow({ call, endMs }: RestCallRowProps) {
  const { method, path, startMs, durationMs, curl } = call;
  const state = stateOf(call);
  const left = (startMs / endMs) * 100;
  const width = ((durationMs ?? 0) / endMs) * 100;
  return (
    <li className={`rest-call ${isFailed(call) ? 'failed' : state}`}>
      <code>
        <b>{method}</b> {path}
      </code>
      {curl !== undefined && (
        <CopyButton
          label="Copy as curl"
          title="Set SERVICE_URL and TOKEN in the shell before you run it"
          text={() => curl}
        />
      )}
      <span className="facts">{factsOf(call).join(' · ')}</span>
      <span className="timeline" title={`Started after ${startMs.toFixed(1)} ms`}>
        <span style={{ left: `${left}%`, width: `${width}%` }} />
      </span>
    </li>
  );
}

function factsOf(call: TracedCall): string[] {
  const { status, durationMs, attempt, readBack } = call;
  return [
    ...(call.sent ? [String(status ?? 'no response')] : []),
    ...(durationMs === undefined ? [] : [`${durationMs.toFixed(1)} ms`]),
    ...(attempt === undefined ? [] : [`attempt ${attempt}`]),
    ...(readBack ? ['read-back'] : []),
    stateOf(call),
  ];
}

/** Whether the call was sent, shared that of another request, or was skipped by a dry run. */
function stateOf({ sent, shared }: TracedCall): 'sent' | 'shared' | 'dry' {
  if (sent) return 'sent';
  return shared ? 'shared' : 'dry';
}

function isFailed({ sent, status = 0 }: TracedCall): boolean {
  return sent && (status < 200 || status > 299);
}
