import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Notification, Shipment } from './types.js';

// The relative path is the same from src/reference-service/ and dist/reference-service/.
const seeds = new URL('../../seeds/', import.meta.url);

/** Path of the contract that the service implements. */
export const contractFile = fileURLToPath(new URL('openapi.yaml', seeds));

/** Initial state. Reads the files on every call: services must not share records. */
export function readSeeds(): { notifications: Notification[]; shipments: Shipment[] } {
  return {
    notifications: readJson('data/notifications.json') as Notification[],
    shipments: readJson('data/shipments.json') as Shipment[],
  };
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, seeds), 'utf8'));
}
