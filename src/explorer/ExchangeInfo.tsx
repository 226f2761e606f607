import { lastExchange } from './lastExchange.js';
import { ResponseInfo } from './ResponseInfo.js';
import { RestCalls } from './RestCalls.js';
import { settings } from './settings.js';
import { useStore } from './store.js';

/** What the page shows of the last exchange below its result. */
export function ExchangeInfo() {
  const exchange = useStore(lastExchange);
  const { trace } = useStore(settings);
  if (exchange === undefined) return null;
  return (
    <div className="exchange">
      <ResponseInfo exchange={exchange} />
      {trace && exchange.status !== undefined && <RestCalls calls={exchange.calls} />}
    </div>
  );
}
