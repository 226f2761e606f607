/** The gateway as a library: the public API of the package. */
export {
  ConfigError,
  parseConfig,
  readVariableFiles,
  type Config,
  type Environment,
  type GivenVariables,
  type VariableFiles,
} from './config/config.js';
export { createGateway, type Gateway, type GatewayOptions } from './gateway.js';
