/** The settings of every request: token, client key, idempotency key, dry run, trace. */
import { useId, useState } from 'react';
import favicon from './favicon.svg';
import { newIdempotencyKey } from './example.js';
import { changeSettings, hasClientKeys, settings, useStore } from './state.js';

export function Toolbar() {
  return (
    <header className="toolbar">
      <h1>
        <img src={favicon} alt="" />
        Shipment GraphQL
      </h1>
      <SecretField name="token" label="Bearer token" placeholder="needed for notifications" />
      {hasClientKeys && <SecretField name="clientKey" label="Client key" placeholder="of this gateway" />}
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

interface SecretFieldProps {
  name: 'clientKey' | 'token';
  label: string;
  placeholder: string;
}

function SecretField({ name, label, placeholder }: SecretFieldProps) {
  const { [name]: value } = useStore(settings);
  const [isShown, setShown] = useState(false);
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type={isShown ? 'text' : 'password'}
        autoComplete="off"
        spellCheck={false}
        value={value}
        placeholder={placeholder}
        onChange={({ target }) => changeSettings({ [name]: target.value })}
      />
      <button type="button" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
        {isShown ? 'Hide' : 'Show'}
      </button>
    </div>
  );
}

/** Few requests need one: closed unless there is one. */
function IdempotencyKeyField() {
  const { idempotencyKey } = useStore(settings);
  const [isOpen] = useState(idempotencyKey !== '');
  const change = (key: string) => changeSettings({ idempotencyKey: key });
  return (
    <details
      className="idempotency-key"
      title="Sends the header Idempotency-Key, so that a mutation can be repeated safely"
      open={isOpen}
    >
      <summary>Idempotency key</summary>
      <div className="field">
        <input
          type="text"
          aria-label="Idempotency key"
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
    </details>
  );
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
