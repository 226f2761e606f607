/** The settings in the toolbar. The fetcher reads them for every request, so changes apply at once. */
import { EXAMPLE_TOKEN } from './examples.js';
import { createStore } from './store.js';

export interface Settings {
  /** As typed, with or without `Bearer`; if empty, no Authorization header is sent. */
  token: string;
  /** If empty, no header Idempotency-Key is sent. */
  idempotencyKey: string;
  /** Whether mutations are only validated. */
  dryRun: boolean;
  /** Whether the REST calls are shown. */
  trace: boolean;
}

/** Which service the gateway calls: the page has this attribute from the gateway, and without it assumes a real service. */
const service = document.documentElement.dataset['service'] === 'mock' ? 'mock' : 'configured';

/** Names the service, so that a switch set for the mock service never applies to a real one. */
const STORAGE_KEY = `settings:${service}`;

const defaults: Settings = {
  token: service === 'mock' ? EXAMPLE_TOKEN : '',
  idempotencyKey: '',
  dryRun: service === 'configured',
  trace: true,
};

/** Kept in session storage: it survives a reload, but not this tab. */
export const settings = createStore<Settings>({ ...defaults, ...readStored() });

export function changeSettings(changes: Partial<Settings>): void {
  settings.set({ ...settings.get(), ...changes });
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(settings.get()));
}

/** The token without `Bearer`, which users copy with it. */
export function tokenIn(typed: string): string {
  return typed.trim().replace(/^Bearer(?:\s+|$)/i, '');
}

function readStored(): Partial<Settings> {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '{}') as Partial<Settings>;
  } catch {
    return {};
  }
}
