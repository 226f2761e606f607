/** Starts the tracking of many shipments: rows of a spreadsheet are checked, corrected, sent, and repeated if need be. */
import { useBatch } from 'shipment-graphql-client/react';
import { batch } from './batch';
import { BatchPanel } from './BatchPanel';
import { download, earlierLists } from './lists';
import { PastePanel } from './PastePanel';

export function TrackMany() {
  const { items, start, check } = useBatch(batch);
  return (
    <>
      <h1 tabIndex={-1}>Track shipments</h1>
      {items.length > 0 ? (
        <BatchPanel />
      ) : (
        <>
          <PastePanel
            onRows={(inputs) => {
              start(inputs.map((input) => ({ input })));
              void check();
            }}
          />
          <EarlierLists />
        </>
      )}
    </>
  );
}

/** What was sent before, for whoever asks later. */
function EarlierLists() {
  const lists = earlierLists();
  if (lists.length === 0) return null;
  return (
    <section aria-label="Earlier lists">
      <h2>Earlier lists</h2>
      <ul>
        {lists.map(({ endedAt, rows }) => (
          <li key={endedAt}>
            {new Date(endedAt).toLocaleString()}: {rows.filter(({ step }) => step === 'NONE').length} of{' '}
            {rows.length} tracked{' '}
            <button
              className="quiet"
              aria-label={`Download the list of ${new Date(endedAt).toLocaleString()}`}
              onClick={() => download(`list-${endedAt.slice(0, 10)}`, rows)}
            >
              Download
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
