import { useQuery } from '@apollo/client/react';
import { useState } from 'react';
import type { NotificationDetailsFragment as Notification } from '../generated/graphql';
import { ReadFailure } from '../Notice';
import { DeleteDialog } from './DeleteDialog';
import { Notifications } from './operations';
import { describe, formatUpdate, toValues } from './values';

const PAGE_SIZE = 10;
/** Of a list that is searched or sorted. */
const MAX_SIZE = 1000;

const ORDERS = {
  service: { label: 'order of the service', compare: () => 0 },
  name: {
    label: 'name',
    compare: (a: Notification, b: Notification) => a.notificationName.localeCompare(b.notificationName),
  },
  updated: {
    label: 'latest change',
    compare: (a: Notification, b: Notification) => timeOf(b) - timeOf(a),
  },
};

const timeOf = ({ lastUpdateDate }: Notification) => Date.parse(lastUpdateDate ?? '') || 0;

/** What a search looks at. */
function textOf(notification: Notification): string {
  const { Who, When } = describe(toValues(notification), notification);
  return [notification.notificationName, Who, When].join(' ').toLowerCase();
}

export function NotificationList() {
  const [page, setPage] = useState(1);
  const [deleting, setDeleting] = useState<Notification>();
  const [search, setSearch] = useState('');
  const [order, setOrder] = useState<keyof typeof ORDERS>('service');
  /** The service can neither search nor sort: the page does, in the whole list. */
  const isWhole = search !== '' || order !== 'service';
  // The service documents no parameters for its list: these are those of the mock.
  const { data, previousData, error, loading, refetch } = useQuery(Notifications, {
    variables: { parameters: isWhole ? { page: 1, pageSize: MAX_SIZE } : { page, pageSize: PAGE_SIZE } },
    fetchPolicy: 'cache-and-network',
    errorPolicy: 'all', // a date that cannot be read does not cost the list
  });
  const list = (data ?? previousData)?.notifications;
  const pages = Math.max(1, Math.ceil((list?.totalPossibleCount ?? 0) / PAGE_SIZE));
  const words = search.toLowerCase();
  const shown = [...(list?.notifications ?? [])]
    .filter((notification) => textOf(notification).includes(words))
    .sort(ORDERS[order].compare);

  return (
    <>
      <div className="title">
        <h1 tabIndex={-1}>Notifications</h1>
        <a className="button primary" href="#/new">
          New notification
        </a>
      </div>
      <div className="actions" role="search">
        <input
          type="search"
          aria-label="Search notifications"
          placeholder="Name or recipient"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
        <label>
          Sort by{' '}
          <select value={order} onChange={({ target }) => setOrder(target.value as keyof typeof ORDERS)}>
            {Object.entries(ORDERS).map(([value, { label }]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
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
            {shown.map((notification) => (
              <NotificationCard
                key={notification.id}
                notification={notification}
                onDelete={() => setDeleting(notification)}
              />
            ))}
          </ul>
          {shown.length === 0 && <p className="muted">None matches.</p>}
          <nav className="paging" aria-label="Pages of the list" hidden={isWhole}>
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
