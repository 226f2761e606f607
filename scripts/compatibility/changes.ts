/** Compares the public surfaces of two versions. docs/releasing.md has these rules in prose. */
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';
import type { Metric, PublicSurface, Variable } from './publicSurface.js';

/**
 * `breaking`: something that worked may fail. `dangerous`: it works, but behaves differently or meets a new value. `safe`: an
 * addition that affects only those who use it.
 */
export const levels = ['breaking', 'dangerous', 'safe'] as const;
export type Level = (typeof levels)[number];

export interface Change {
  level: Level;
  message: string;
}

/** The most severe first. */
export async function compareSurfaces(before: PublicSurface, after: PublicSurface): Promise<Change[]> {
  const names = (label: string, key: 'inputRules' | 'requestHeaders' | 'responseHeaders', added?: Level) =>
    recordChanges(label, asRecord(before[key]), asRecord(after[key]), undefined, added);
  const changes = [
    ...(await schemaChanges(before.schema, after.schema)),
    ...recordChanges('Entity', before.entityKeys, after.entityKeys, (name, from, to) =>
      recordChanges(`Entity ${name}: key`, asRecord(from), asRecord(to)),
    ),
    // A client may handle a closed list completely, and not know a new value.
    ...recordChanges('Error code', before.errorCodes, after.errorCodes, errorCodeChanges, 'dangerous'),
    ...names('Input rule', 'inputRules', 'dangerous'),
    ...recordChanges('Environment variable', before.variables, after.variables, variableChanges),
    ...recordChanges('Metric', before.metrics, after.metrics, metricChanges),
    ...recordChanges('Log message', before.logMessages, after.logMessages, (message, from, to) =>
      changed('dangerous', `Log message ${message}: level`, from, to),
    ),
    ...names('Request header', 'requestHeaders'),
    ...names('Response header', 'responseHeaders'),
    ...packageChanges(before.package, after.package),
  ];
  return levels.flatMap((level) => changes.filter((change) => change.level === level));
}

type ErrorCode = PublicSurface['errorCodes'][string];

/** The documented text may be reworded without a change of meaning, so somebody has to look at it. */
function errorCodeChanges(code: string, before: ErrorCode, after: ErrorCode): Change[] {
  return [
    ...changed('dangerous', `Error code ${code}: outcome`, before.outcome, after.outcome),
    ...changed('dangerous', `Error code ${code}: retryable`, before.retryable, after.retryable),
  ];
}

async function schemaChanges(before: readonly string[], after: readonly string[]): Promise<Change[]> {
  const levelOf: Record<CriticalityLevel, Level> = {
    [CriticalityLevel.Breaking]: 'breaking',
    [CriticalityLevel.Dangerous]: 'dangerous',
    [CriticalityLevel.NonBreaking]: 'safe',
  };
  const changes = await diff(buildSchema(before.join('\n')), buildSchema(after.join('\n')));
  return changes.map(({ criticality, message, path, type }) => {
    // Stitching gateways depend on it.
    const breaks = path?.endsWith('@merge') === true && String(type).endsWith('_REMOVED');
    return { level: breaks ? 'breaking' : levelOf[criticality.level], message: `Schema: ${message}` };
  });
}

function variableChanges(name: string, before: Variable, after: Variable): Change[] {
  const label = `Environment variable ${name}`;
  const [minimum, maximum] = [after.minimum ?? -Infinity, after.maximum ?? Infinity];
  const narrowed =
    minimum > (before.minimum ?? -Infinity) ||
    maximum < (before.maximum ?? Infinity) ||
    (before.values === undefined && after.values !== undefined);
  const level = narrowed ? 'breaking' : 'safe';
  return [
    ...changed('dangerous', `${label}: default`, before.default, after.default),
    ...changed(level, `${label}: range`, rangeOf(before), rangeOf(after)),
    ...(before.values && after.values
      ? recordChanges(`${label}: value`, asRecord(before.values), asRecord(after.values))
      : changed(level, `${label}: allowed values`, before.values, after.values)),
  ];
}

function rangeOf({ minimum, maximum }: Variable): string | undefined {
  return minimum === undefined ? undefined : `${minimum}–${maximum ?? ''}`;
}

function metricChanges(name: string, before: Metric, after: Metric): Change[] {
  const compareValues = (label: string, from: string[], to: string[]) =>
    // An empty list is not a closed one.
    from.length > 0 && to.length > 0
      ? recordChanges(`Metric ${name}: value of ${label}`, asRecord(from), asRecord(to))
      : [];
  return [
    ...changed('breaking', `Metric ${name}: type`, before.type, after.type),
    // A further label splits series: rules that do not aggregate see several.
    ...recordChanges(`Metric ${name}: label`, before.labels, after.labels, compareValues, 'dangerous'),
  ];
}

function packageChanges(before: PublicSurface['package'], after: PublicSurface['package']): Change[] {
  if (!before || !after) return [];
  return [
    ...changed(
      isLaterMinimum(before.node, after.node) ? 'breaking' : 'safe',
      'Package: Node.js versions',
      before.node,
      after.node,
    ),
    ...recordChanges('Package: command', asRecord(before.commands), asRecord(after.commands)),
    ...recordChanges('Package: export', before.exports, after.exports, (subpath, from, to) =>
      recordChanges(`Package: name in ${subpath}`, from, to, typeChanges),
    ),
  ];
}

/** Whether a range such as `>=20.19` starts later; other ranges count as if they did. */
function isLaterMinimum(before: string, after: string): boolean {
  const areMinimums = [before, after].every((range) => /^>=[\d.]+$/.test(range));
  return !areMinimums || after.localeCompare(before, 'en', { numeric: true }) > 0;
}

type Members = Readonly<Record<string, string>>;

function typeChanges(name: string, before: Members, after: Members): Change[] {
  const changes = recordChanges(`Package: member of ${name}`, before, after, (member, from, to) =>
    changed('dangerous', `Package: ${name}.${member}`, from, to),
  );
  // A new required option breaks the compilation of programs that do not pass it.
  const isBreaking = ({ level, message }: Change) =>
    level === 'safe' && name.endsWith('Options') && !message.endsWith('?');
  return changes.map((change) => (isBreaking(change) ? { ...change, level: 'breaking' } : change));
}

/** Removed names are breaking; names in both are compared by `compare`. */
function recordChanges<Value>(
  label: string,
  before: Readonly<Record<string, Value>>,
  after: Readonly<Record<string, Value>>,
  compare: (name: string, before: Value, after: Value) => Change[] = () => [],
  addedLevel: Level = 'safe',
): Change[] {
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const added = Object.keys(after).filter((name) => !Object.hasOwn(before, name));
  return [
    ...removed.map((name): Change => ({ level: 'breaking', message: `${label} removed: ${name}` })),
    ...added.map((name): Change => ({ level: addedLevel, message: `${label} added: ${name}` })),
    ...Object.entries(before).flatMap(([name, value]) =>
      Object.hasOwn(after, name) ? compare(name, value, after[name] as Value) : [],
    ),
  ];
}

function changed(level: Level, label: string, before: unknown, after: unknown): Change[] {
  const [from, to] = [before, after].map((value) => (value === undefined ? 'none' : JSON.stringify(value)));
  return from === to ? [] : [{ level, message: `${label} changed from ${from ?? ''} to ${to ?? ''}` }];
}

function asRecord(names: readonly string[]): Record<string, true> {
  return Object.fromEntries(names.map((name) => [name, true]));
}
