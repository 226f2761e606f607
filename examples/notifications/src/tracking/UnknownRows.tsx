/** Rows of which nobody knows whether they went through, settled together: looked up, marked, sent again, removed, or saved as a file. */
import { useState, type ReactNode } from 'react';
import { client } from '../apollo';
import { Dialog } from '../Dialog';
import { useShell } from '../shell';
import { batch, replace, type TrackingItem } from './batch';
import { factsOf } from './facts';
import { downloadItems } from './lists';
import { WriteRecords } from './operations';
import { toRow } from './rows';

/** The most that the gateway looks up at once. */
const MAX_KEYS = 1000;

export function UnknownRows({
  items,
  isInterrupted,
  children,
}: {
  items: readonly TrackingItem[];
  /** Whether the list can go on with them. */
  isInterrupted: boolean;
  /** Stands above what can be done. */
  children?: ReactNode;
}) {
  const { say } = useShell();
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
  const [isAsking, ask] = useState(false);
  const [isLooking, setLooking] = useState(false);
  const selected = items.filter(({ key }) => chosen.has(key));

  async function lookUp() {
    setLooking(true);
    for (let from = 0; from < items.length; from += MAX_KEYS) {
      const keys = items.slice(from, from + MAX_KEYS).map(({ key }) => key);
      batch.settle(
        await client
          .query({
            query: WriteRecords,
            variables: { keys },
            fetchPolicy: 'network-only',
            errorPolicy: 'all',
          })
          .catch((error: unknown) => error),
      );
    }
    setLooking(false);
    const keys = new Set(items.map(({ key }) => key));
    const left = batch
      .getSnapshot()
      .items.filter(({ key, outcome }) => keys.has(key) && outcome === 'UNKNOWN');
    const found = items.length - left.length;
    say(`${found} of ${items.length} had arrived.`, left.length > 0 ? 'unsure' : 'good');
  }

  const indexOf = ({ key }: TrackingItem) => batch.getSnapshot().items.findIndex((item) => item.key === key);

  return (
    <section className="notice unknown" aria-label="Unknown rows">
      {children}
      <p>
        <strong>
          {items.length === 1 ? '1 row' : `${items.length} rows`} may have gone through, or not.
        </strong>{' '}
        Look them up{isInterrupted && ', or go on'}. With “Send again”, a driver may get a second message.
      </p>
      <div className="actions">
        <button className="primary" disabled={isLooking} onClick={() => void lookUp()}>
          {isLooking ? 'Looking…' : 'Look all up'}
        </button>
        <label className="choice">
          <input
            type="checkbox"
            checked={selected.length === items.length}
            onChange={({ target }) => choose(new Set(target.checked ? items.map(({ key }) => key) : []))}
          />
          Select all {items.length}
        </label>
      </div>
      <ul className="unknown-rows">
        {items.map((item) => (
          <li key={item.key}>
            <label className="choice">
              <input
                type="checkbox"
                checked={chosen.has(item.key)}
                onChange={({ target }) => {
                  const next = new Set(chosen);
                  if (target.checked) next.add(item.key);
                  else next.delete(item.key);
                  choose(next);
                }}
              />
              Row {factsOf(item.key).number}: {toRow(item.item.input).reference}
            </label>
          </li>
        ))}
      </ul>
      <div className="actions">
        <button
          disabled={selected.length === 0}
          onClick={() =>
            batch.settle({
              data: {
                writeRecords: selected.map(({ key }) => ({ idempotencyKey: key, outcome: 'APPLIED' })),
              },
            })
          }
        >
          Mark as done
        </button>
        <button disabled={selected.length === 0} onClick={() => ask(true)}>
          Send again…
        </button>
        <button
          disabled={selected.length === 0}
          onClick={() => {
            for (const item of selected) batch.remove(indexOf(item));
          }}
        >
          Remove
        </button>
        <button disabled={selected.length === 0} onClick={() => downloadItems('unknown-rows', selected)}>
          Download
        </button>
      </div>
      {isAsking && (
        <Dialog title="Send again?" onClose={() => ask(false)}>
          <p>
            {selected.length === 1 ? 'The driver' : `Each of the ${selected.length} drivers`} may have got a
            message already, and would get a second one. Ask before you send it again.
          </p>
          <div className="actions">
            <button
              className="danger"
              onClick={() => {
                ask(false);
                // It has a new key.
                for (const item of selected) replace(indexOf(item), item.item.input, { isWanted: true });
              }}
            >
              Get {selected.length === 1 ? 'it' : 'them'} ready again
            </button>
            <button onClick={() => ask(false)}>Cancel</button>
          </div>
        </Dialog>
      )}
    </section>
  );
}
