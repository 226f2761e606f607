import { parseConfig } from '../../../src/config/config.js';
import type { ServiceSettings } from '../../../src/freight/operations.js';

/** The defaults of everything that the interface document leaves open. */
export const settings: ServiceSettings = {
  ...parseConfig({}).service,
  serviceUrl: new URL('http://service.test'),
};
