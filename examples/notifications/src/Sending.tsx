import { useEffect, useState } from 'react';
import type { RetryWait } from 'shipment-graphql-client/apollo';

/** Seconds after which somebody who waits wants to know that something still happens. */
const PATIENCE_S = 3;

/** What a form that is being saved waits for, and for how long. */
export function Sending({ wait }: { wait: RetryWait | undefined }) {
  const [startedAt] = useState(Date.now);
  const now = useNow();
  const seconds = Math.floor((now - startedAt) / 1000);
  if (wait && navigator.onLine)
    return (
      <div className="notice unknown">
        <p role="alert">
          It has to wait, and is sent again in {Math.max(0, Math.ceil((wait.retryAt - now) / 1000))} s.
        </p>
        <button type="button" onClick={wait.cancel}>
          Stop
        </button>
      </div>
    );
  if (seconds < PATIENCE_S) return null;
  return (
    <p className="notice unknown" role="alert">
      The service has not responded for {seconds} s. You need not stay: what has left is saved all the same,
      and the outcome is said wherever you are.
    </p>
  );
}

export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  return now;
}
