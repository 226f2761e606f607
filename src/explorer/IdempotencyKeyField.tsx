import { useId } from 'react';
import { newIdempotencyKey } from './newIdempotencyKey.js';
import { changeSettings, settings } from './settings.js';
import { useStore } from './store.js';

export function IdempotencyKeyField() {
  const { idempotencyKey } = useStore(settings);
  const id = useId();
  const change = (key: string) => {
    changeSettings({ idempotencyKey: key });
  };
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
        onChange={({ target }) => {
          change(target.value);
        }}
      />
      <button
        type="button"
        onClick={() => {
          change(newIdempotencyKey());
        }}
      >
        New
      </button>
    </div>
  );
}
