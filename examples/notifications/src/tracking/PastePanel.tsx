import { useMemo, useState } from 'react';
import type { PastedRow } from './batch';
import {
  assemble,
  guessColumns,
  hasBareNumber,
  rowsOfEveryOutcome,
  sampleRows,
  showUnseen,
  toInput,
  type Column,
  type VehicleKind,
} from './rows';
import { parseSheet } from './sheet';

const KINDS: Record<VehicleKind, string> = { licensePlate: 'License plate', hauler: 'Hauler' };
const PREVIEWED = 5;

/** Where rows of a spreadsheet are pasted: a preview shows what each column is taken for, and nothing is dropped unseen. */
export function PastePanel({ onRows }: { onRows: (rows: PastedRow[]) => void }) {
  const [text, setText] = useState('');
  const [kind, setKind] = useState<VehicleKind>('licensePlate');
  const [chosen, choose] = useState<{ columns?: Column[]; hasHeader?: boolean }>({});
  const sheet = useMemo(() => parseSheet(text), [text]);
  const guess = useMemo(() => guessColumns(sheet[0]?.cells), [sheet]);
  const { columns, hasHeader } = { ...guess, ...chosen };
  const width = Math.max(0, ...sheet.map(({ cells }) => cells.length));
  const rows = hasHeader ? sheet.slice(1) : sheet;
  const isAmbiguous = rows.some(({ cells }) => hasBareNumber(assemble(cells, columns)));
  const names: Record<Column, string> = {
    reference: 'Reference',
    vehicle: KINDS[kind],
    carrier: 'Carrier',
    'carrier.mc': 'MC number',
    'carrier.dot': 'DOT number',
    phone: 'Driver’s phone',
    ignored: 'Left out',
  };
  const columnAt = (index: number): Column => columns[index] ?? 'ignored';
  const edit = (next: string) => {
    setText(next);
    choose({});
  };

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onRows(rows.map(({ number, cells }) => ({ number, input: toInput(assemble(cells, columns), kind) })));
      }}
    >
      <fieldset>
        <legend>Vehicles are given by</legend>
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
          Reference, {KINDS[kind].toLowerCase()}, carrier (a SCAC, or MC or DOT and a number), driver’s phone;
          in another order with a header row
        </p>
        <textarea
          id="rows"
          aria-describedby="columns"
          rows={10}
          spellCheck={false}
          placeholder={'REF-1001\tPLATE-3001\tEXMA\t(303) 555-0100'}
          value={text}
          onChange={({ target }) => edit(target.value)}
        />
      </div>
      {sheet.length > 0 && (
        <div className="preview">
          <label className="choice">
            <input
              type="checkbox"
              checked={hasHeader}
              onChange={() => choose({ ...chosen, columns, hasHeader: !hasHeader })}
            />
            The first row is a header
          </label>
          <table>
            <caption>
              The first {Math.min(PREVIEWED, rows.length)} of {rows.length} rows
            </caption>
            <thead>
              <tr>
                {Array.from({ length: width }, (_, index) => (
                  <th key={index} scope="col">
                    <select
                      aria-label={`Column ${index + 1}`}
                      value={columnAt(index)}
                      onChange={({ target }) => {
                        const next = Array.from({ length: width }, (_column, each) => columnAt(each));
                        next[index] = target.value as Column;
                        choose({ columns: next, hasHeader });
                      }}
                    >
                      {Object.entries(names).map(([column, name]) => (
                        <option key={column} value={column}>
                          {name}
                        </option>
                      ))}
                    </select>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, PREVIEWED).map(({ number, cells }) => (
                <tr key={number}>
                  {Array.from({ length: width }, (_, column) => (
                    <td key={column} className={columnAt(column) === 'ignored' ? 'muted' : undefined}>
                      {showUnseen(cells[column] ?? '')}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
          {isAmbiguous && (
            <p className="notice unknown">
              Some carriers are bare numbers: choose above whether their column has MC or DOT numbers.
            </p>
          )}
        </div>
      )}
      <div className="actions">
        <button className="primary" type="submit" disabled={rows.length === 0}>
          Check {rows.length === 1 ? '1 row' : `${rows.length} rows`}
        </button>
        <button type="button" onClick={() => edit(sampleRows())}>
          Paste 300 sample rows
        </button>
        <button type="button" onClick={() => edit(rowsOfEveryOutcome())}>
          Paste a list with every outcome
        </button>
      </div>
    </form>
  );
}
