/** What holds for every entry of the table of failures, and how an error is made of one. */
import { describe, expect, test } from 'vitest';
import { failures, isServerFault, type Failure, type FailureName } from '../../src/failures.js';

const entries = Object.entries<Failure>(failures) as [FailureName, Failure][];
const namesOf = (matches: (failure: Failure) => boolean | undefined) =>
  entries.filter(([, failure]) => matches(failure)).map(([name]) => name);

describe('of all failures,', () => {
  test('only those of calls of which no byte was sent let a write be retried', () => {
    expect(namesOf(({ retriedCalls }) => retriedCalls === 'all')).toEqual(['unreachable']);
    expect(failures.unreachable.outcome).toBe('NOT_APPLIED');
  });

  test('only transient ones let a read be retried', () => {
    expect(namesOf(({ retriedCalls, isTransient }) => retriedCalls !== undefined && !isTransient)).toEqual(
      [],
    );
  });

  test('those that shed load were not applied, and may succeed later', () => {
    const shed = namesOf(({ circuit }) => circuit === 'shed');
    expect(shed).toEqual(['circuitOpen', 'queueFull', 'deadlinePassed']);
    for (const name of shed)
      expect(failures[name]).toMatchObject({ outcome: 'NOT_APPLIED', isTransient: true });
  });

  test('those that the circuit counts are failures of the service', () => {
    const isCounted = ({ circuit }: Failure) => circuit === 'failure';
    expect(namesOf(isCounted)).toEqual([
      'unreachable',
      'timedOut',
      'connectionLost',
      'invalidHttp',
      'serviceUnavailable',
      'serviceFailed',
    ]);
    expect(namesOf((failure) => isCounted(failure) && !isServerFault(failure.code))).toEqual([]);
  });

  test('no two stand for the same status', () => {
    const statuses = entries.flatMap(([, each]) => each.statuses ?? []);
    expect(statuses).toEqual([...new Set(statuses)]);
  });
});
