import favicon from './favicon.svg';
import { IdempotencyKeyField } from './IdempotencyKeyField.js';
import { SettingSwitch } from './SettingSwitch.js';
import { TokenField } from './TokenField.js';

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
