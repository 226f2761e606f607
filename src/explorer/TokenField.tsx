import { useId, useState } from 'react';
import { changeSettings, settings, tokenIn } from './settings.js';
import { useStore } from './store.js';

export function TokenField() {
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
        onChange={({ target }) => {
          changeSettings({ token: target.value });
        }}
      />
      <button
        type="button"
        aria-pressed={isShown}
        onClick={() => {
          setShown(!isShown);
        }}
      >
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
