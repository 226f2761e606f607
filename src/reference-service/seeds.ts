import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Notification, Shipment } from './types.js';

// The same distance from src/reference-service/ and from dist/reference-service/.
const seeds = new URL('../../seeds/', import.meta.url);

/** File name of the contract that the service implements. */
export const contractFile = fileURLToPath(new URL('openapi.yaml', seeds));

/** The first state of a service: read anew each time, so that no two services share a record. */
export function readSeeds(): { notifications: Notification[]; shipments: Shipment[] } {
  return {
    notifications: readJson('data/notifications.json') as Notification[],
    shipments: readJson('data/shipments.json') as Shipment[],
  };
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, seeds), 'utf8'));
}
