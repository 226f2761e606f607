/** The gateway as a library: the public API of the package. */
export {
  ConfigError,
  parseConfig,
  type Config,
  type Environment,
  type VariableFiles,
} from './config/config.js';
export { readVariableFiles, type GivenVariables } from './config/variableFiles.js';
export { createGateway, type Gateway, type GatewayOptions } from './gateway.js';
