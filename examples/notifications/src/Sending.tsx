import { useEffect, useState, useSyncExternalStore } from 'react';
import { retries } from './apollo';

/** Seconds after which somebody who waits wants to know that something still happens. */
const PATIENCE_S = 3;

/** What a form that is being saved waits for, and for how long. */
export function Sending() {
  const retryAt = useSyncExternalStore(retries.subscribe, retries.getRetryAt);
  const [startedAt] = useState(Date.now);
  const now = useNow();
  const seconds = Math.floor((now - startedAt) / 1000);
  if (retryAt !== undefined && navigator.onLine)
    return (
      <p className="notice unknown" role="alert">
        It has to wait, and is sent again in {Math.max(0, Math.ceil((retryAt - now) / 1000))} s.
      </p>
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
