import { buildIfStale } from './buildIfStale.js';

/** The system tests start the built gateway as a process. */
export function setup(): void {
  buildIfStale('build');
}
