import { changeSettings, settings } from './settings.js';
import { useStore } from './store.js';

interface SettingSwitchProps {
  name: 'dryRun' | 'trace';
  label: string;
  /** What the switch does, for a tooltip. */
  title: string;
}

export function SettingSwitch({ name, label, title }: SettingSwitchProps) {
  const { [name]: checked } = useStore(settings);
  return (
    <label title={title}>
      <input
        type="checkbox"
        role="switch"
        checked={checked}
        onChange={({ target }) => {
          changeSettings({ [name]: target.checked });
        }}
      />
      {label}
    </label>
  );
}
