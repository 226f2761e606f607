/** The gateway as a library: the public API of the package. */
export { ConfigError, parseConfig, type Config } from './config/config.js';
export { readVariableFiles, type Environment, type GivenVariables } from './config/variables.js';
export { createGateway, type Gateway, type GatewayOptions } from './gateway.js';
