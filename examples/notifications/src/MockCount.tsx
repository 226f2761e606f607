import { useEffect, useState } from 'react';

const PERIOD_MS = 1000;

interface Writes {
  received: number;
  /** Those that had arrived before. */
  repeated: number;
}

/** In front of the mock service: how many writes it got, so that everybody sees that nothing happened twice. */
export function MockCount() {
  const [writes, setWrites] = useState<Writes>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isHere = true;
    let isThere = false;
    const read = async () => {
      const next = await readWrites();
      isThere ||= next !== undefined;
      if (!isHere || !isThere) return;
      if (next) setWrites(next);
      timer = setTimeout(() => void read(), PERIOD_MS);
    };
    void read();
    return () => {
      isHere = false;
      clearTimeout(timer);
    };
  }, []);
  if (!writes) return null;
  const { received, repeated } = writes;
  return (
    <aside className="mock-count" aria-label="Mock service">
      The mock service got {received} {received === 1 ? 'write' : 'writes'},{' '}
      <strong>{repeated === 0 ? 'none twice' : `${repeated} twice`}</strong>
    </aside>
  );
}

/** Undefined where there is no mock service: a server of pages responds with one. */
async function readWrites(): Promise<Writes | undefined> {
  const response = await fetch('/mock/writes').catch(() => undefined);
  if (response?.headers.get('content-type') !== 'application/json') return undefined;
  return response.json() as Promise<Writes>;
}
