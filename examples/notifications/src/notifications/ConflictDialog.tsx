import { Dialog } from '../Dialog';
import type { NotificationDetailsFragment as Notification } from '../generated/graphql';
import { describe, formatUpdate, toValues, type Values } from './values';

/** Somebody else has changed the notification while it was edited: both versions, and what the user may do. */
export function ConflictDialog({
  edited,
  mine,
  theirs,
  onKeepMine,
  onTakeTheirs,
  onClose,
}: {
  /** The version that was edited. */
  edited: Notification;
  mine: Values;
  theirs: Notification;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
  onClose: () => void;
}) {
  const before = describe(toValues(edited), edited);
  const yours = describe(mine, edited);
  const current = describe(toValues(theirs), theirs);
  const names = Object.keys(before) as (keyof typeof before)[];
  return (
    <Dialog title="Somebody else has changed it" onClose={onClose}>
      <p className="muted">There is another version, saved {formatUpdate(theirs)}.</p>
      <table>
        <thead>
          <tr>
            <td />
            <th scope="col">Your version</th>
            <th scope="col">Their version</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{yours[name] === before[name] ? yours[name] : <mark>{yours[name]}</mark>}</td>
              <td>{current[name] === before[name] ? current[name] : <mark>{current[name]}</mark>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>“Keep mine” saves what you have changed (marked), and leaves the rest as it is now.</p>
      <div className="actions">
        <button className="primary" onClick={onKeepMine}>
          Keep mine
        </button>
        <button onClick={onTakeTheirs}>Take theirs</button>
        <button onClick={onClose}>Go on editing</button>
      </div>
    </Dialog>
  );
}
