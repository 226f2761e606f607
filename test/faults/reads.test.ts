/** Reads from a faulty service: they are retried where that may help. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  cutAtEnd,
  emptyBody,
  MAX_RESPONSE_BYTES,
  promptCases,
  textToEnd,
  unreachable,
  type FaultCase,
} from '../support/service/faultCases.js';
import { countConnectionRefusals } from '../support/http/countConnectionRefusals.js';
import { useFaultGateway } from '../support/gateway/faultGateway.js';
import { about, failure, reads, success } from '../support/graphql/faultOperations.js';
import type { FaultPlan } from '../support/service/faults.js';
import { sizes } from '../support/tools/scale.js';
import { withoutStackTraces } from '../support/tools/stackTraces.js';

vi.setConfig({ testTimeout: sizes.testTimeoutMs, hookTimeout: sizes.testTimeoutMs });
withoutStackTraces();

const gateway = useFaultGateway({ config: { service: { maxResponseBytes: MAX_RESPONSE_BYTES } } });

describe('one read', () => {
  const cases = Object.entries<FaultCase>({
    ...promptCases,
    'empty body': emptyBody,
    'truncation of a body that ends with the connection': cutAtEnd,
    'text that ends with the connection': textToEnd,
  });

  /** Reads a notification whose first requests hit the faults; returns the result and the number of requests. */
  const read = async (subject: string, faults: readonly FaultPlan[]) => {
    gateway.service.faults.set(subject, faults);
    const { data, errors } = await gateway.execute(about('notification', subject));
    const sent = gateway.service.requests.filter((request) => request.subject === subject);
    return { data, errors, requests: sent.length };
  };

  test.each(cases.filter(([, { isRetried }]) => isRetried))(
    'is retried at most twice: %s',
    async (name, { fault, failure: expected }) => {
      await gateway.prime(100);
      expect(await read(`${name}, twice`, [fault, fault])).toEqual({
        ...success('notification', `${name}, twice`),
        requests: 3,
      });
      expect(await read(name, [fault, fault, fault])).toEqual({
        ...(expected && failure('notification', expected)),
        requests: 3,
      });
    },
  );

  test.concurrent.each(cases.filter(([, { isRetried }]) => !isRetried))(
    'is not retried: %s',
    async (name, { fault, failure: expected }) => {
      expect(await read(name, [fault])).toEqual({
        ...(expected ? failure('notification', expected) : success('notification', name)),
        requests: 1,
      });
    },
  );
});

describe('a read while the port is closed', () => {
  beforeAll(async () => {
    await gateway.prime();
    gateway.service.refuse();
    gateway.service.disconnect();
  });
  afterAll(() => gateway.service.accept());

  test.each(reads)('is retried at most twice: %s', async (field) => {
    const refusedConnections = countConnectionRefusals(gateway.service);
    const { data, errors } = await gateway.execute(about(field, `closed ${field}`));
    expect({ data, errors, attempts: refusedConnections.stop() }).toEqual({
      ...failure(field, unreachable),
      attempts: 3,
    });
  });
});
