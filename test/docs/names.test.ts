/** Names in the documentation and in the code are the same: variables, error codes, metrics, log messages, headers. */
import { readdirSync, readFileSync } from 'node:fs';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.js';
import {
  fileVariables,
  type VariableName,
  variableNames,
  variableOf,
  variables,
} from '../../src/config/variables.js';
import { ErrorCode, InputRule } from '../../src/errors.js';
import type { FieldEntry } from '../../src/fields/selections.js';
import { reads } from '../../src/fields/reads.js';
import { writes } from '../../src/fields/writes.js';
import { events, type EventEntry } from '../../src/telemetry/events.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { fieldNames, isMutation } from '../support/graphql/rootFields.js';
import { keyLine, writeKeysFile } from '../support/http/clientCredentials.js';
import { settings } from '../support/service/settings.js';
import { codeSpans, documents, readDocument, root, tableRows } from './support/markdown.js';

const names = [...variableNames].sort();
/** Those that do not depend on other variables. */
const defaults: Readonly<Record<string, unknown>> = Object.fromEntries(
  names
    .map((name) => [name, variableOf(name).schema.parse(undefined)] as const)
    .filter(([, value]) => value !== undefined),
);

const documentedCodes = tableRows('docs/errors.md', 'Code', 'Cause').flatMap(([code = '']) =>
  codeSpans(code),
);
const documentedRules = tableRows('docs/errors.md', 'Rule', 'Expected').flatMap(([rule = '']) =>
  codeSpans(rule),
);

const NOTHING = { value: 0, limit: 0 };

/** The text of the whole program. */
const source = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('generated'))
  .map((file) => readFileSync(`${root}src/${file}`, 'utf8'))
  .join('\n');

describe('docs/configuration.md', () => {
  const rows = tableRows('docs/configuration.md', 'Variable', 'Default', 'Range').map(
    ([name = '', byDefault = '', range = '']) => ({
      name: (codeSpans(name)[0] ?? '') as VariableName,
      byDefault,
      range,
    }),
  );

  test('lists exactly the variables of src/config/variables.ts', () => {
    expect(rows.map(({ name }) => name).sort()).toEqual(names);
  });

  test.each(rows)('gives the default of $name', ({ name, byDefault }) => {
    if (name in defaults) expect(byDefault).toBe(`\`${asText(defaults[name])}\``);
    else expect(byDefault).toMatch(/^none|, else |\+|^`SERVICE_URL`$|^the mock service$/);
  });

  test.each(rows)('gives the range of $name', ({ name, range }) => {
    // What it says of a value that no variable can have.
    const [problem] = variableOf(name).schema.safeParse('\n').error?.issues ?? [];
    const [, min, max] = /^expected an integer from (\d+) to (\d+), got/.exec(problem?.message ?? '') ?? [];
    const [, words] = /^expected ((?:\w+, )*\w+ or \w+), got/.exec(problem?.message ?? '') ?? [];
    if (min !== undefined) expect(range).toBe(`${min}–${max}`);
    else if (words !== undefined) expect(codeSpans(range)).toEqual(words.split(/, | or /));
    else expect(range).not.toBe('');
  });
});

describe('docs/interface.md', () => {
  const rows = tableRows('docs/interface.md', 'The document says', 'The gateway', 'Set by').map(
    ([quote = '', , setBy = '']) => ({ quote, setBy }),
  );
  const open = readDocument('seeds/interface.md')
    .split(/\n|\. |; | \| /)
    .filter((part) => /not shown/.test(part))
    .map((part) => part.replace(/[.)| ]+$/, '').trim());
  const variablesIn = (text: string) => codeSpans(text).filter((span) => /^[A-Z][A-Z_]+$/.test(span));

  test('quotes everything that the interface document calls "not shown", in its order', () => {
    expect(open).not.toEqual([]);
    const places = open.map((part) => rows.findIndex(({ quote }) => quote.includes(part)));
    expect(open.filter((_part, index) => places[index] === -1)).toEqual([]);
    expect(places).toEqual([...places].sort((one, other) => one - other));
  });

  test('names variables that exist, or says why there is none', () => {
    expect(rows.flatMap(({ setBy }) => variablesIn(setBy)).filter((name) => !(name in variables))).toEqual(
      [],
    );
    const explained = /^assumed, not settable(?: here)?: \S/;
    expect(rows.filter(({ setBy }) => variablesIn(setBy).length === 0 && !explained.test(setBy))).toEqual([]);
  });

  test('names every variable that settles a point of the interface', () => {
    const settled = names.filter((name) => /_PATH$|_FORMAT$|_TYPE$|PARAMETERS?$|SHIPMENT_SERVICE/.test(name));
    const named = new Set(rows.flatMap(({ setBy }) => variablesIn(setBy)));
    expect(settled.filter((name) => !named.has(name))).toEqual([]);
  });
});

test('.env.example is a valid configuration when everything is uncommented', () => {
  const lines = [...readDocument('.env.example').matchAll(/^#([A-Z_]+)=(.*)$/gm)];
  // As a shell reads them: what is in single quotes stays as it is.
  const entries = lines.map(([, name = '', value = '']) => [name, value.replace(/^'(.*)'$/, '$1')] as const);
  expect(entries.map(([name]) => name).sort()).toEqual(names);
  const withoutExample = entries.flatMap(([name, value]) => (value === '' ? [name] : []));
  expect(withoutExample).toEqual(['SERVICE_CLIENT_CERT', 'SERVICE_CLIENT_KEY']); // which have many lines
  const environment = Object.fromEntries(entries);
  const manifest = `${root}test/http/manifests/apollo.json`;
  const files = { OPERATIONS_MANIFEST: manifest, CLIENT_KEYS_FILE: writeKeysFile(keyLine('app', 'key')) };
  expect(() => parseConfig({ ...environment, ...files })).not.toThrow();
});

test('Every variable that the documentation names exists', () => {
  const others = new Set([
    'APPLIED',
    'EN_ROUTE',
    'NOT_APPLIED',
    'NOT_SENT',
    'READ_BACK',
    'REGISTRY_PASSWORD',
    'REGISTRY_USERNAME',
    'REQUIRE_ALL',
    ...documentedCodes,
    ...documentedRules,
  ]);
  const unknown = documents
    .filter((file) => file !== 'CHANGELOG.md') // it has former names
    .flatMap((file) =>
      codeSpans(readDocument(file))
        .flatMap((span) => /^([A-Z]+(?:_[A-Z]+)+)(?:=.*)?$/.exec(span)?.[1] ?? [])
        .filter((name) => !(name in variables) && !fileVariables.has(name) && !others.has(name))
        .filter((name) => !/^(?:NODE|OTEL|UV)_/.test(name)) // of Node.js and of the OpenTelemetry SDK
        .map((name) => `${file}: ${name}`),
    );
  expect(unknown).toEqual(['docs/configuration.md: SERVICE_TIMOUT_MS']); // the example of a misspelled one
});

describe('docs/errors.md', () => {
  test('lists exactly the codes of src/errors.ts', () => {
    expect([...documentedCodes].sort()).toEqual(Object.values(ErrorCode).sort());
  });

  test("lists all of Apollo Server's codes", () => {
    expect(Object.values(ErrorCode)).toEqual(expect.arrayContaining(Object.values(ApolloServerErrorCode)));
  });

  test('lists exactly the rules of src/errors.ts', () => {
    expect([...documentedRules].sort()).toEqual(Object.values(InputRule).sort());
  });
});

test('docs/mock-service.md tells how to see each code of src/errors.ts', () => {
  const cells = [
    ...tableRows('docs/mock-service.md', 'Bearer token').map(([, , code = '']) => code),
    ...tableRows('docs/mock-service.md', 'Error code').map(([code = '']) => code),
  ];
  expect([...new Set(cells.flatMap(codeSpans))].sort()).toEqual(Object.values(ErrorCode).sort());
});

describe('docs/operations.md', () => {
  const { registry, add } = createMetrics(
    {
      restOperations: [{ method: 'GET', route: '/', baseUrl: new URL('http://localhost') }],
      mutations: { update: 'state' },
    },
    {
      requests: () => NOTHING,
      connections: () => Promise.resolve(NOTHING),
      largeResponses: () => NOTHING,
      rest: () => [],
      // Without Redis and a certificate, these are not reported.
      acceptsKeys: () => true,
      clientCertificateExpiry: 0,
    },
  );
  for (const event of Object.values<EventEntry<never>>(events)) add(event);
  const metrics = registry
    .getMetricsAsArray()
    .map((metric) => ({ name: metric.name, labels: labelsOf(metric) }))
    .filter(({ name }) => !/^(?:process|nodejs)_/.test(name));

  test('lists exactly the metrics of src/telemetry/metrics.ts, with their labels', () => {
    const rows = tableRows('docs/operations.md', 'Metric', 'Labels').map(([name = '', labels = '']) => ({
      name: codeSpans(name)[0],
      labels: codeSpans(labels),
    }));
    expect(rows.sort(byName)).toEqual(metrics.sort(byName));
  });

  const messages = tableRows('docs/operations.md', 'Message', 'Level')
    .flatMap((row) => codeSpans(row.join(' ')))
    .filter((span) => /^[A-Z].* /.test(span));

  test.each([...new Set(messages)])('names a log message of the code: %s', (message) => {
    expect(source).toContain(`'${message}'`);
  });
});

describe('Every root field', () => {
  const entries = Object.entries<Readonly<Record<string, FieldEntry>>>({
    Query: reads,
    Mutation: writes,
  }).flatMap(([type, each]) =>
    Object.entries(each).map(([name, { operation }]) => ({ name, type, operation })),
  );
  /** The rows of a table, one for each field that its first cell names. */
  const rowsOf = (...table: [file: string, ...columns: string[]]) =>
    tableRows(...table).flatMap(([names = '', ...cells]) => codeSpans(names).map((name) => [name, ...cells]));

  test('is in the README, with its type, its REST call and whether it needs a token', () => {
    const rows = rowsOf('README.md', 'Root field', 'Type', 'REST call', 'Bearer token');
    expect(rows.map(([name, type, call = '', token]) => [name, type, codeSpans(call), token]).sort()).toEqual(
      entries
        .map(({ name, type, operation }) => {
          const call = operation && `${operation.method} ${operation.path(settings)}`;
          return [name, type, call === undefined ? [] : [call], operation?.token ?? 'none'];
        })
        .sort(),
    );
  });

  test('that writes one thing is in docs/retrying-mutations.md, with what to do if its outcome is unknown', () => {
    const rows = rowsOf('docs/retrying-mutations.md', 'Mutation', 'Without a key', 'With a key');
    expect(rows.map(([name]) => name).sort()).toEqual(fieldNames.filter(isMutation).sort());
  });
});

test('Every header of the gateway that the documentation names exists', () => {
  const named = documents.flatMap((file) => [...readDocument(file).matchAll(/\bx-[a-z-]+[a-z]/g)]);
  const headers = [...new Set(named.map(([header]) => header))];
  expect(headers).not.toEqual([]);
  expect(headers.filter((header) => !source.includes(`'${header}'`))).toEqual([]);
});

/** Formats a configuration value as an environment variable. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function labelsOf(metric: object): string[] {
  return (metric as { labelNames: string[] }).labelNames;
}

function byName(one: { name: string | undefined }, other: { name: string | undefined }): number {
  return (one.name ?? '').localeCompare(other.name ?? '');
}
