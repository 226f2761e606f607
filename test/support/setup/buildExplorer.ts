import { buildIfStale } from './buildIfStale.js';

/** The gateway serves the explorer from dist/. */
export function setup(): void {
  buildIfStale('build:explorer');
}
