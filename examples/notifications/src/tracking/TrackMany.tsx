/** Starts the tracking of many shipments: rows of a spreadsheet are checked, corrected, sent, and repeated if need be. */
import { useState } from 'react';
import { useBatch } from 'shipment-graphql-client/react';
import { batch, start } from './batch';
import { BatchPanel } from './BatchPanel';
import { downloadList, earlierLists, removeList, type EarlierList } from './lists';
import { PastePanel } from './PastePanel';

export function TrackMany() {
  const { items } = useBatch(batch);
  return (
    <>
      <h1 tabIndex={-1}>Track shipments</h1>
      {items.length > 0 ? (
        <BatchPanel />
      ) : (
        <>
          <PastePanel onRows={(rows) => void start(rows)} />
          <EarlierLists />
        </>
      )}
    </>
  );
}

/** What was sent before, for whoever asks later. */
function EarlierLists() {
  const [lists, setLists] = useState(earlierLists);
  if (lists.length === 0) return null;
  const remove = (list: EarlierList) => {
    removeList(list);
    setLists(earlierLists());
  };
  return (
    <section aria-label="Earlier lists">
      <h2>Earlier lists</h2>
      <p className="muted">Kept in this browser for a week, without phone numbers.</p>
      <ul>
        {lists.map((list) => {
          const time = new Date(list.endedAt).toLocaleString();
          return (
            <li key={list.endedAt}>
              {time}: {list.rows.filter(({ step }) => step === 'NONE').length} of {list.rows.length} tracked{' '}
              <button
                className="quiet"
                aria-label={`Download the list of ${time}`}
                onClick={() => downloadList(list)}
              >
                Download
              </button>{' '}
              <button
                className="quiet"
                aria-label={`Remove the list of ${time}`}
                onClick={() => remove(list)}
              >
                Remove
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
