import { useState } from 'react';
import type { TrackShipmentInput } from '../generated/graphql';
import { parseRows, sampleRows, toInput, type VehicleKind } from './rows';

const KINDS: Record<VehicleKind, string> = { licensePlate: 'License plate', hauler: 'Hauler' };

/** Where rows of a spreadsheet are pasted. */
export function PastePanel({ onRows }: { onRows: (inputs: TrackShipmentInput[]) => void }) {
  const [text, setText] = useState('');
  const [kind, setKind] = useState<VehicleKind>('licensePlate');
  const rows = parseRows(text);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onRows(rows.map((row) => toInput(row, kind)));
      }}
    >
      <fieldset>
        <legend>The second column is the</legend>
        <div className="choices">
          {Object.entries(KINDS).map(([value, label]) => (
            <label key={value}>
              <input
                type="radio"
                name="kind"
                checked={kind === value}
                onChange={() => setKind(value as VehicleKind)}
              />
              {label}
            </label>
          ))}
        </div>
      </fieldset>
      <div className="field">
        <label htmlFor="rows">Rows of a spreadsheet</label>
        <p id="columns" className="muted">
          Reference, {KINDS[kind].toLowerCase()}, carrier (a SCAC, or MC and a number), driver’s phone
        </p>
        <textarea
          id="rows"
          aria-describedby="columns"
          rows={10}
          spellCheck={false}
          placeholder={'REF-1001\tPLATE-3001\tEXMA\t(303) 555-0100'}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      <div className="actions">
        <button className="primary" type="submit" disabled={rows.length === 0}>
          Check {rows.length === 1 ? '1 row' : `${rows.length} rows`}
        </button>
        <button type="button" onClick={() => setText(sampleRows())}>
          Paste 300 sample rows
        </button>
      </div>
    </form>
  );
}
