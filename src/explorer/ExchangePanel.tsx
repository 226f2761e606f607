/** Shows the last exchange below its result: errors, outcome, status, time, size, request ID, and the REST calls. */
import { useState } from 'react';
import { CopyButton } from './CopyButton.js';
import { isPhone, lastExchange, settings, useStore, type Exchange, type TracedCall } from './state.js';

export function ExchangePanel() {
  const exchange = useStore(lastExchange);
  const { trace } = useStore(settings);
  if (exchange === undefined) return null;
  return (
    <div className="exchange">
      <ResponseInfo exchange={exchange} />
      {trace && exchange.status !== undefined && (
        <RestCalls key={exchange.requestId} calls={exchange.calls} />
      )}
    </div>
  );
}

function ResponseInfo({ exchange }: { exchange: Exchange }) {
  const { status, codes, outcomes, durationMs, bytes, requestId } = exchange;
  return (
    <section className="response-info" aria-label="Response">
      {codes.length > 0 && (
        <span className="failure">
          {codes.length} {codes.length === 1 ? 'error' : 'errors'}: {tally(codes)}
        </span>
      )}
      {outcomes.length > 0 && <span>Outcome: {tally(outcomes)}</span>}
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

/** Each name once, with its number if there are several. */
function tally(names: readonly (string | undefined)[]): string {
  const described = [...new Set(names)].map((name) => {
    const count = names.filter((each) => each === name).length;
    return count === 1 ? name : `${name} × ${count}`;
  });
  return described.join(', ');
}

function formatBytes(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`;
}

/** Calls that are listed at once: the result has to stay in sight. */
const MAX_LISTED_CALLS = 10;

/** The REST calls of an operation on a common time axis, which starts with the request. */
function RestCalls({ calls }: { calls: readonly TracedCall[] | undefined }) {
  const [isComplete, setComplete] = useState(false);
  const listed = isComplete ? calls : calls?.slice(0, MAX_LISTED_CALLS);
  const hidden = (calls?.length ?? 0) - (listed?.length ?? 0);
  const endMs = Math.max(0.1, ...(calls ?? []).map(({ startMs, durationMs = 0 }) => startMs + durationMs));
  return (
    <details className="rest-calls" aria-label="REST calls" open={!isPhone()}>
      <summary>
        REST calls{calls !== undefined && ` (${calls.length})`}
        {calls !== undefined && calls.length > 0 && (
          <span className="axis">
            <span>0 ms</span>
            <span>{endMs.toFixed(1)} ms</span>
          </span>
        )}
      </summary>
      {calls === undefined && <p>The response does not list them.</p>}
      {calls !== undefined && calls.length > 1 && <Lanes calls={calls} endMs={endMs} />}
      {calls?.length === 0 && <p>None: no call was needed, or the request was rejected first.</p>}
      <ol>
        {listed?.map((call, index) => (
          <RestCallRow key={index} call={call} endMs={endMs} />
        ))}
      </ol>
      {hidden > 0 && (
        <button className="copy" onClick={() => setComplete(true)}>
          Show {hidden} more
        </button>
      )}
    </details>
  );
}

/** All calls at a glance: those that overlap are one above the other. */
function Lanes({ calls, endMs }: { calls: readonly TracedCall[]; endMs: number }) {
  const lanes = lanesOf(calls);
  return (
    <div className="lanes" role="img" aria-label={`${calls.length} calls, at most ${lanes.length} at a time`}>
      {lanes.map((lane, index) => (
        <div key={index} className="lane">
          {lane.map((call, position) => (
            <span
              key={position}
              className={isFailed(call) ? 'failed' : stateOf(call)}
              title={`${call.method} ${call.path}: ${factsOf(call).join(' · ')}`}
              style={{
                left: `${(call.startMs / endMs) * 100}%`,
                width: `${((call.durationMs ?? 0) / endMs) * 100}%`,
              }}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

/** Each call in the first lane that is free when it starts. */
function lanesOf(calls: readonly TracedCall[]): TracedCall[][] {
  const lanes: TracedCall[][] = [];
  const isFreeAt = (time: number) => (lane: TracedCall[]) => {
    const { startMs = 0, durationMs = 0 } = lane.at(-1) ?? {};
    return startMs + durationMs <= time;
  };
  for (const call of calls.toSorted((a, b) => a.startMs - b.startMs)) {
    const free = lanes.find(isFreeAt(call.startMs));
    if (free) free.push(call);
    else lanes.push([call]);
  }
  return lanes;
}

interface RestCallRowProps {
  call: TracedCall;
  endMs: number;
}

function RestCallRow({ call, endMs }: RestCallRowProps) {
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
    ...(attempt === undefined || attempt === 1 ? [] : [`attempt ${attempt}`]),
    ...(readBack ? ['read-back'] : []),
    stateOf(call) === 'dry' ? 'not sent (dry run)' : stateOf(call),
  ];
}

/** Whether the call was sent, shared with another request, or skipped by a dry run. */
function stateOf({ sent, shared }: TracedCall): 'sent' | 'shared' | 'dry' {
  if (sent) return 'sent';
  return shared ? 'shared' : 'dry';
}

function isFailed({ sent, status = 0 }: TracedCall): boolean {
  return sent && (status < 200 || status > 299);
}
