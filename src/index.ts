/** The gateway as a library: what a program of one's own starts it with. */
export { ConfigError, parseConfig, type Config } from './config/config.js';
export { createGateway, type Gateway, type GatewayOptions } from './gateway.js';
