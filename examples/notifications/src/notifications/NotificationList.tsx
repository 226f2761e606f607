import { useQuery } from '@apollo/client/react';
import { useState } from 'react';
import type { NotificationDetailsFragment as Notification } from '../generated/graphql';
import { ReadFailure } from '../Notice';
import { DeleteDialog } from './DeleteDialog';
import { Notifications } from './operations';
import { describe, formatUpdate, toValues } from './values';

const PAGE_SIZE = 10;

export function NotificationList() {
  const [page, setPage] = useState(1);
  const [deleting, setDeleting] = useState<Notification>();
  // The service documents no parameters for its list: these are those of the mock.
  const { data, previousData, error, loading, refetch } = useQuery(Notifications, {
    variables: { parameters: { page, pageSize: PAGE_SIZE } },
    fetchPolicy: 'cache-and-network',
    errorPolicy: 'all', // a date that cannot be read does not cost the list
  });
  const list = (data ?? previousData)?.notifications;
  const pages = Math.max(1, Math.ceil((list?.totalPossibleCount ?? 0) / PAGE_SIZE));

  return (
    <>
      <div className="title">
        <h1 tabIndex={-1}>Notifications</h1>
        <a className="button primary" href="#/new">
          New notification
        </a>
      </div>
      {error && !loading && !data?.notifications && (
        <ReadFailure error={error} field="notifications" onRetry={() => void refetch()} />
      )}
      {list && list.unreadable.length > 0 && (
        <p className="notice">{list.unreadable.length} notifications cannot be read.</p>
      )}
      {!list && loading && <p className="muted">Loading…</p>}
      {list && (
        <>
          <ul className="cards" aria-busy={loading} aria-label="Notifications">
            {list.notifications.map((notification) => (
              <NotificationCard
                key={notification.id}
                notification={notification}
                onDelete={() => setDeleting(notification)}
              />
            ))}
          </ul>
          <nav className="paging" aria-label="Pages of the list">
            <button disabled={page === 1} onClick={() => setPage(page - 1)}>
              Previous
            </button>
            <span>
              Page {page} of {pages}
            </span>
            <button disabled={page >= pages} onClick={() => setPage(page + 1)}>
              Next
            </button>
          </nav>
        </>
      )}
      {deleting && (
        <DeleteDialog
          notification={deleting}
          onClose={(isDeleted) => {
            setDeleting(undefined);
            if (isDeleted) void refetch();
          }}
        />
      )}
    </>
  );
}

function NotificationCard({ notification, onDelete }: { notification: Notification; onDelete: () => void }) {
  const { id, notificationName } = notification;
  const { Who, When } = describe(toValues(notification), notification);
  return (
    <li>
      <h2>
        <a href={`#/edit/${encodeURIComponent(id)}`}>{notificationName}</a>
      </h2>
      <p>{Who}</p>
      <p>{When}</p>
      <p className="muted">{formatUpdate(notification)}</p>
      <button className="quiet" aria-label={`Delete ${notificationName}`} onClick={onDelete}>
        Delete
      </button>
    </li>
  );
}
