/** Starts the tracking of many shipments: rows of a spreadsheet are checked, corrected, sent, and repeated if need be. */
import { useState, useSyncExternalStore } from 'react';
import { currentBatch, startBatch } from './batch';
import { BatchPanel } from './BatchPanel';
import { PastePanel } from './PastePanel';

export function TrackMany() {
  const [batch, setBatch] = useState(currentBatch);
  const { items } = useSyncExternalStore(batch.subscribe, batch.getSnapshot);
  return (
    <>
      <h1 tabIndex={-1}>Track shipments</h1>
      {items.length === 0 ? (
        <PastePanel onRows={(inputs) => setBatch(startBatch(inputs))} />
      ) : (
        <BatchPanel batch={batch} onClose={() => setBatch(startBatch([]))} />
      )}
    </>
  );
}
