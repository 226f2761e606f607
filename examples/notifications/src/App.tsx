/** The shell: header, page of the address, and the live region for outcomes. */
import { useEffect, useMemo, useState } from 'react';
import { EditNotification, NewNotification } from './notifications/NotificationPage';
import { NotificationList } from './notifications/NotificationList';
import { ShellContext, type Tone } from './shell';
import { Connection } from './Connection';
import { MockCount } from './MockCount';
import { currentToken, setToken, TOKENS, type Token } from './token';
import { TrackMany } from './tracking/TrackMany';

const PAGES = { '/': 'Notifications', '/track': 'Track shipments' };

const currentPath = () => location.hash.slice(1) || '/';

export function App() {
  const [{ path, message, tone }, setPlace] = useState({
    path: currentPath(),
    message: '',
    tone: 'good' as Tone,
  });
  const shell = useMemo(
    () => ({
      go: (path: string, message = '') => {
        history.pushState(null, '', `#${path}`);
        setPlace({ path, message, tone: 'good' });
      },
      say: (message: string, tone: Tone = 'good') => setPlace(({ path }) => ({ path, message, tone })),
    }),
    [],
  );
  useEffect(() => {
    const follow = () => setPlace({ path: currentPath(), message: '', tone: 'good' });
    addEventListener('popstate', follow); // links to another hash, back and forward
    return () => removeEventListener('popstate', follow);
  }, []);
  useEffect(() => document.querySelector('h1')?.focus(), [path]);

  return (
    <ShellContext value={shell}>
      <header>
        <p className="brand">Freight desk</p>
        <nav aria-label="Pages">
          {Object.entries(PAGES).map(([page, title]) => (
            <a key={page} href={`#${page}`} aria-current={page === path ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <TokenSelect />
      </header>
      <Connection />
      <p role="status" className={tone} tabIndex={-1}>
        {message}
      </p>
      <main>
        <Page path={path} />
      </main>
      <MockCount />
    </ShellContext>
  );
}

function Page({ path }: { path: string }) {
  if (path === '/track') return <TrackMany />;
  if (path === '/new') return <NewNotification />;
  const [, guid] = /^\/edit\/(.+)$/.exec(path) ?? [];
  if (guid) return <EditNotification key={guid} notificationGuid={decodeURIComponent(guid)} />;
  return <NotificationList />;
}

/** Stands for a login. */
function TokenSelect() {
  const [token, select] = useState(currentToken);
  return (
    <label className="token">
      The service:
      <select
        value={token}
        onChange={({ target }) => {
          setToken(target.value as Token);
          select(currentToken());
        }}
      >
        {Object.entries(TOKENS).map(([value, behavior]) => (
          <option key={value} value={value}>
            {behavior}
          </option>
        ))}
      </select>
    </label>
  );
}
