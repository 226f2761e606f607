/** Starts the tracking of many shipments: rows of a spreadsheet are checked, corrected, sent, and repeated if need be. */
import { useBatch } from 'shipment-graphql-client/react';
import { batch } from './batch';
import { BatchPanel } from './BatchPanel';
import { PastePanel } from './PastePanel';

export function TrackMany() {
  const { items, start, check } = useBatch(batch);
  return (
    <>
      <h1 tabIndex={-1}>Track shipments</h1>
      {items.length > 0 ? (
        <BatchPanel />
      ) : (
        <PastePanel
          onRows={(inputs) => {
            start(inputs.map((input) => ({ input })));
            void check();
          }}
        />
      )}
    </>
  );
}
