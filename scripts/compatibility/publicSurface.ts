/** The public surface: every name that clients and operators depend on, in a form that two versions can be compared by. */
import { readFileSync } from 'node:fs';
import { Kind, print, visit, type DirectiveNode, type DocumentNode } from 'graphql';
import { format, resolveConfig } from 'prettier';
import { z } from 'zod';
import { variables } from '../../src/config/variables.js';
import { ErrorCode, InputRule } from '../../src/errors.js';
import { readTypeDefs } from '../../src/graphql/schema.js';
import { EXPOSED_HEADERS } from '../../src/http/cors.js';
import { GATEWAY_HEADERS } from '../../src/http/headers.js';
import { createPrimaryMetrics } from '../../src/telemetry/clusterMetrics.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { codeSpans, tableRows } from '../../test/docs/support/markdown.js';
import { integerRange } from './integerRange.js';
import { exportedNames, ExportedNames } from './packageExports.js';

/** The generated file, relative to the root of the repository. Each release's tag has its own. */
export const SURFACE_FILE = 'docs/public-surface.json';

const Names = z.array(z.string()).default([]);

const Variable = z.object({
  /** As text, or as the JSON that its text stands for. */
  default: z.unknown().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  /** Those that are allowed, of a closed list. */
  values: z.array(z.string()).optional(),
});
export type Variable = z.output<typeof Variable>;

const Metric = z.object({
  type: z.string(),
  /** The values by label; empty for those that are not a closed list. */
  labels: z.record(z.string(), z.array(z.string())),
});
export type Metric = z.output<typeof Metric>;

/** Sections default to empty: the file of an earlier version may lack them. */
export const PublicSurface = z.object({
  /** The lines of the public SDL, without descriptions. */
  schema: z.array(z.string()),
  /** The `@key` fields of each entity of the subgraph. */
  entityKeys: z.record(z.string(), z.array(z.string())).default({}),
  errorCodes: z.record(z.string(), z.object({ outcome: z.string(), retryable: z.string() })).default({}),
  inputRules: Names,
  variables: z.record(z.string(), Variable).default({}),
  metrics: z.record(z.string(), Metric).default({}),
  /** The level of each message that docs/operations.md lists. */
  logMessages: z.record(z.string(), z.string()).default({}),
  requestHeaders: Names,
  responseHeaders: Names,
  package: z
    .object({ node: z.string(), commands: Names, exports: z.record(z.string(), ExportedNames) })
    .optional(),
});
export type PublicSurface = z.output<typeof PublicSurface>;

/** Reads the surface from the sources and, where these say nothing, from documentation that tests compare with them. */
export async function readPublicSurface(): Promise<PublicSurface> {
  return {
    schema: print(withoutDescriptions(readTypeDefs())).split('\n'),
    entityKeys: entityKeys(),
    errorCodes: errorCodes(),
    inputRules: Object.values(InputRule).sort(),
    variables: sorted(Object.entries(variables).map(([name, schema]) => [name, variable(schema)] as const)),
    metrics: await metrics(),
    logMessages: logMessages(),
    requestHeaders: [...GATEWAY_HEADERS].sort(),
    responseHeaders: [...EXPOSED_HEADERS].sort(),
    package: packageSurface(),
  };
}

export async function formatSurface(surface: PublicSurface): Promise<string> {
  return format(JSON.stringify(surface), { ...(await resolveConfig(SURFACE_FILE)), parser: 'json' });
}

function withoutDescriptions(document: DocumentNode): DocumentNode {
  return visit(document, {
    enter: (node) => ('description' in node ? { ...node, description: undefined } : undefined),
  });
}

function entityKeys(): PublicSurface['entityKeys'] {
  const keys: PublicSurface['entityKeys'] = {};
  for (const definition of readTypeDefs('subgraph/annotations.graphql').definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) continue; // extensions are merged into it
    const fields = (definition.directives ?? []).flatMap(keyFields).sort();
    if (fields.length > 0) keys[definition.name.value] = fields;
  }
  return keys;
}

function keyFields({ name, arguments: args = [] }: DirectiveNode): string[] {
  if (name.value !== 'key') return [];
  return args.flatMap(({ value }) => (value.kind === Kind.STRING ? value.value : []));
}

function errorCodes(): PublicSurface['errorCodes'] {
  const rows = tableRows('docs/errors.md', 'Code', 'Cause').map(
    ([code = '', , outcome = '', retryable = '']) => [codeSpans(code)[0], { outcome, retryable }] as const,
  );
  const documented = new Map(rows);
  return sorted(
    Object.values(ErrorCode).map((code) => [code, documented.get(code) ?? { outcome: '', retryable: '' }]),
  );
}

function variable(schema: z.ZodType): Variable {
  const { enum: values } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as {
    enum?: unknown[];
  };
  const byDefault = schema.safeParse(undefined).data;
  return {
    ...(byDefault !== undefined && { default: byDefault }),
    ...integerRange((text) => schema.safeParse(text).data),
    ...(values && { values: values.filter((value) => typeof value === 'string') }),
  };
}

/** Their values are the calls that the configuration makes possible. */
const ENDPOINT_LABELS = new Set(['http_request_method', 'url_template']);

async function metrics(): Promise<PublicSurface['metrics']> {
  const none = { value: 0, limit: 0 };
  const { registry, observer } = createMetrics({
    origins: [],
    endpoints: [{ method: 'GET', route: '/' }],
    load: {
      requests: () => none,
      connections: () => Promise.resolve(none),
      bytes: () => none,
      rest: () => [],
    },
  });
  observer.onRateLimitAvailability(true); // it is reported only with a limit that processes share
  const registries = [registry, createPrimaryMetrics(1, () => 1)];
  const labelNames = new Map(
    registries
      .flatMap((each) => each.getMetricsAsArray())
      .map((metric) => [metric.name, (metric as { labelNames?: string[] }).labelNames]),
  );
  const all = (await Promise.all(registries.map((each) => each.getMetricsAsJSON()))).flat();
  const own = all.filter(({ name }) => !/^(?:process|nodejs)_/.test(name));
  return sorted(
    own.map(({ name, type, values }) => {
      // A counter starts with every value of a closed list; what gauges start with may depend on the process.
      const isClosed = (label: string) => String(type) === 'counter' && !ENDPOINT_LABELS.has(label);
      const valuesOf = (label: string) =>
        (isClosed(label) ? values : []).flatMap(({ labels }) => labels[label] ?? []).map(String);
      const labels = (labelNames.get(name) ?? []).map(
        (label) => [label, [...new Set(valuesOf(label))].sort()] as const,
      );
      return [name, { type: String(type), labels: sorted(labels) }] as const;
    }),
  );
}

function logMessages(): PublicSurface['logMessages'] {
  return sorted(
    tableRows('docs/operations.md', 'Message', 'Level').flatMap(([message = '', level = '']) =>
      codeSpans(message).map((span) => [span, level] as const),
    ),
  );
}

function packageSurface(): NonNullable<PublicSurface['package']> {
  const { name, bin, engines, exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    name: string;
    bin: string | Record<string, string>;
    engines: { node: string };
    exports: Record<string, string | { types: string }>;
  };
  return {
    node: engines.node,
    commands: typeof bin === 'string' ? [name] : Object.keys(bin).sort(),
    exports: exportedNames(exports),
  };
}

function sorted<Value>(entries: (readonly [string, Value])[]): Record<string, Value> {
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}
