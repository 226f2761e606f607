import { useState } from 'react';
import type { WriteResult } from 'shipment-graphql-client';
import { Dialog } from '../Dialog';
import type { NotificationDetailsFragment as Notification } from '../generated/graphql';
import { Notice } from '../Notice';
import { useShell } from '../shell';
import { useWrite } from '../useWrite';
import { DeleteNotification } from './operations';
import { formatUpdate } from './values';

export function DeleteDialog({
  notification,
  onClose,
}: {
  notification: Notification;
  onClose: (isDeleted: boolean) => void;
}) {
  const { say } = useShell();
  const { write, isSending } = useWrite(DeleteNotification, 'deleteNotification');
  const [result, setResult] = useState<WriteResult>();
  /** The version that the user has seen. */
  const [seen, setSeen] = useState(notification);
  const { id, notificationName, lastUpdateDate } = seen;

  async function remove() {
    const written = await write({ notificationGuid: id, ifLastUpdateDate: lastUpdateDate ?? null });
    setResult(written);
    if (written.nextStep === 'RELOAD') setSeen(written.source?.data?.deleteNotification?.current ?? seen);
    if (written.nextStep !== 'NONE') return;
    onClose(true);
    say(`Deleted “${notificationName}”.`);
  }

  return (
    <Dialog title={`Delete “${notificationName}”?`} onClose={() => onClose(false)}>
      <p className="muted">Last updated {formatUpdate(seen)}</p>
      {result && !isSending && <Notice result={result} />}
      <div className="actions">
        <button className="danger" disabled={isSending} onClick={() => void remove()}>
          {isSending ? 'Deleting…' : result ? 'Delete it now' : 'Delete'}
        </button>
        <button onClick={() => onClose(false)}>Cancel</button>
      </div>
    </Dialog>
  );
}
