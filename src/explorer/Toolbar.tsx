/** The settings of every request: token, idempotency key, dry run, trace. */
import { useId, useState } from 'react';
import favicon from './favicon.svg';
import { changeSettings, settings, tokenIn, useStore } from './state.js';

export function Toolbar() {
  return (
    <header className="toolbar">
      <h1>
        <img src={favicon} alt="" />
        Shipment GraphQL
      </h1>
      <TokenField />
      <IdempotencyKeyField />
      <SettingSwitch
        name="dryRun"
        label="Dry run"
        title="Sends x-gateway-dry-run: 1, so that mutations are validated and not sent to the service"
      />
      <SettingSwitch
        name="trace"
        label="Show REST calls"
        title="Sends x-gateway-trace: 1, so that the response lists its REST calls"
      />
    </header>
  );
}

function TokenField() {
  const { token } = useStore(settings);
  const [isShown, setShown] = useState(false);
  const id = useId();
  const isMissing = tokenIn(token) === '';
  return (
    <div className="field">
      <label htmlFor={id}>Bearer token</label>
      <input
        id={id}
        type={isShown ? 'text' : 'password'}
        autoComplete="off"
        spellCheck={false}
        value={token}
        aria-describedby={isMissing ? `${id}-missing` : undefined}
        onChange={({ target }) => changeSettings({ token: target.value })}
      />
      <button type="button" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
        {isShown ? 'Hide' : 'Show'}
      </button>
      {isMissing && (
        <p id={`${id}-missing`} role="status">
          No token: operations on notifications need one
        </p>
      )}
    </div>
  );
}

function IdempotencyKeyField() {
  const { idempotencyKey } = useStore(settings);
  const id = useId();
  const change = (key: string) => changeSettings({ idempotencyKey: key });
  return (
    <div
      className="field idempotency-key"
      title="Sends the header Idempotency-Key, so that a mutation can be repeated safely"
    >
      <label htmlFor={id}>Idempotency key</label>
      <input
        id={id}
        type="text"
        autoComplete="off"
        spellCheck={false}
        placeholder="none"
        value={idempotencyKey}
        onChange={({ target }) => change(target.value)}
      />
      <button type="button" onClick={() => change(newIdempotencyKey())}>
        New
      </button>
    </div>
  );
}

/** A UUID of version 7 (RFC 9562 section 5.7). Pages that are not served over HTTPS have no crypto.randomUUID(). */
function newIdempotencyKey(): string {
  const hex = (byte: number) => byte.toString(16).padStart(2, '0');
  const random = Array.from(crypto.getRandomValues(new Uint8Array(9)), hex).join('');
  const time = Date.now().toString(16).padStart(12, '0');
  const digits = `${time}7${random.slice(0, 3)}8${random.slice(3)}`;
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

interface SettingSwitchProps {
  name: 'dryRun' | 'trace';
  label: string;
  title: string;
}

function SettingSwitch({ name, label, title }: SettingSwitchProps) {
  const { [name]: checked } = useStore(settings);
  return (
    <label title={title}>
      <input
        type="checkbox"
        role="switch"
        checked={checked}
        onChange={({ target }) => changeSettings({ [name]: target.checked })}
      />
      {label}
    </label>
  );
}
