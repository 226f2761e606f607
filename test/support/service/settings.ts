import { parseConfig } from '../../../src/config/config.js';
import { serviceSettingsOf } from '../../../src/gatewayService.js';

/** The defaults of everything that the interface document leaves open. */
export const settings = serviceSettingsOf({
  ...parseConfig({}),
  SERVICE_URL: new URL('http://service.test'),
});
