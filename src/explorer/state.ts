/** The state of the page: the settings in its toolbar, and the last operation's response, as far as it is shown below the result. */
import { useSyncExternalStore } from 'react';
import type { TracedCall as Trace } from '../telemetry/requestTelemetry.js';
import { EXAMPLE_TOKEN } from './examples.js';

export interface Settings {
  /** As typed, with or without `Bearer`; if empty, no Authorization header is sent. */
  token: string;
  /** If empty, no header X-Client-Key is sent. */
  clientKey: string;
  /** If empty, no header Idempotency-Key is sent. */
  idempotencyKey: string;
  dryRun: boolean;
  trace: boolean;
}

/** Which service the gateway calls: the page has this attribute from the gateway, and without it assumes a real service. */
const { dataset } = document.documentElement;
const service = dataset['service'] === 'mock' ? 'mock' : 'configured';

export const usesMockService = service === 'mock';

/** Whether the gateway knows clients by their keys. */
export const hasClientKeys = dataset['clientKeys'] === 'true';

/** Names the service, so that a switch set for the mock service never applies to a real one. */
const STORAGE_KEY = `settings:${service}`;

const defaults: Settings = {
  token: usesMockService ? EXAMPLE_TOKEN : '',
  clientKey: '',
  idempotencyKey: '',
  dryRun: !usesMockService,
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

/** A REST call in `extensions.trace`; `curl` is left out of a long trace. */
export type TracedCall = Omit<Trace, 'curl'> & { curl?: string };

export interface Exchange {
  /** HTTP status and its text; undefined if the gateway did not respond. */
  status: string | undefined;
  durationMs: number;
  bytes: number;
  requestId: string | undefined;
  /** Codes of the errors, of fields and in payloads; undefined for one that has none. */
  codes: readonly (string | undefined)[];
  /** Outcomes of writes, as far as the operation selects them. */
  outcomes: readonly string[];
  /** Undefined if the response has no trace. */
  calls: readonly TracedCall[] | undefined;
}

/** Whether the page has a column alone (style.css). */
export function isPhone(): boolean {
  return matchMedia('(max-width: 700px)').matches;
}

/** Undefined until an operation has run. */
export const lastExchange = createStore<Exchange | undefined>(undefined);

/** A value that components render and other code reads or sets. */
interface Store<T> {
  get: () => T;
  set: (value: T) => void;
  subscribe: (listener: () => void) => () => void;
}

function createStore<T>(initial: T): Store<T> {
  const listeners = new Set<() => void>();
  let value = initial;
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<T>({ subscribe, get }: Store<T>): T {
  return useSyncExternalStore(subscribe, get);
}
