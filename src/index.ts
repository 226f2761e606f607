/** The gateway as a library: the public API of the package. */
export { ConfigError, parseConfig, type Config } from './config/config.js';
export { readVariableFiles, type GivenVariables, type VariableFiles } from './config/variableFiles.js';
export type { Environment } from './config/variables.js';
export { createGateway, type Gateway, type GatewayOptions } from './gateway.js';
