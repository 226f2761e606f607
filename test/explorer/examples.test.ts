import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  parse,
  validate,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { EXAMPLE_TOKEN, exampleGroups, examples } from '../../src/explorer/examples.js';
import { withTypePrefix } from '../../src/explorer/example.js';
import { createSchema } from '../../src/graphql/schema.js';
import { startGateway, useGateway } from '../support/gateway/gateway.js';
import { post } from '../support/http/post.js';
import { forTest } from '../support/tools/useStarted.js';
const gateway = useGateway({ env: { IDEMPOTENCY_STORE: 'memory' } });

const operations = examples.map(({ document, variables }) => {
  const [operation] = parse(document).definitions as OperationDefinitionNode[];
  if (operation?.name === undefined) throw new Error(`Expected a named operation, got ${document}`);
  return { name: operation.name.value, operation, document, variables };
});

test('the examples cover every query and mutation once, and tracking again, as pasted and with a key', () => {
  const schema = createSchema();
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}),
  );
  const selectedFields = operations.flatMap(({ operation }) =>
    operation.selectionSet.selections.map((selection) =>
      selection.kind === Kind.FIELD ? selection.name.value : selection.kind,
    ),
  );
  expect(selectedFields.sort()).toEqual([...fields, 'trackShipment', 'trackShipment'].sort());
});

test('every mutation among the examples selects its outcome and its errors', () => {
  const mutations = operations.filter(({ operation }) => operation.operation === OperationTypeNode.MUTATION);
  const selections = mutations.map(({ document }) =>
    [/\boutcome\b/, /\berrors \{/].map((each) => each.test(document)),
  );
  expect(selections).toEqual(mutations.map(() => [true, true]));
});

test('the key of the example that repeats a write does not expire: it is a UUID of version 4, without a time', () => {
  const variablesOf = (example: string) => operations.find(({ name }) => name === example)?.variables ?? {};
  const { key } = variablesOf('RepeatSafely');
  expect(key).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
  expect(variablesOf('AskWhatBecameOfWrites')['idempotencyKeys']).toEqual([key]);
});

test('the example of a pasted number shows what would be sent', async () => {
  const { document = '', variables = {} } = operations.find(({ name }) => name === 'PasteNumber') ?? {};
  expect(await gateway.data(document, { variables, token: EXAMPLE_TOKEN })).toEqual({
    trackShipment: {
      outcome: 'NOT_APPLIED',
      errors: [],
      shipment: { freightProviderReferenceNumber: 'REF-1001', freightHaulerProviderXid: 'XID-2001' },
      driverPhoneNumber: '+13035550100',
    },
  });
});

describe('against the mock service’s initial data', () => {
  test.each(operations)('$name succeeds', async ({ document, variables }) => {
    const { data, errors } = await gateway.execute(document, { variables, token: EXAMPLE_TOKEN });
    expect(errors).toBeUndefined();
    expect(Object.values(data as object)).toEqual([expect.anything()]);
  });
});

describe('in front of a real service, in a dry run, as the explorer starts there', () => {
  const shown = exampleGroups.flatMap(({ title: group, examples }) =>
    examples.filter(({ needs }) => needs !== 'mock').map((example) => ({ group, ...example })),
  );

  test.each(shown)(
    '$title has the result of its title, with a token and, unless it needs one, without',
    async (example) => {
      const { group, title, document, variables, needs } = example;
      const headers = { 'x-gateway-dry-run': '1', ...example.headers };
      for (const token of needs === 'token' ? [EXAMPLE_TOKEN] : [EXAMPLE_TOKEN, null]) {
        const { data, errors } = await gateway.execute(document, { variables, token, headers });
        const codes = [...new Set(JSON.stringify({ data, errors }).match(/(?<="code":")\w+/g))];
        if (group === 'Errors') expect(codes).toContain(title);
        else expect(codes.filter((code) => code !== 'BAD_USER_INPUT')).toEqual([]); // of one item among several
      }
      if (needs !== 'token') return;
      const { text } = await post(gateway.url, { query: document, variables }, { token: null, headers });
      expect(text).toContain('UNAUTHENTICATED');
    },
  );
});

test('with a schema prefix, every example fits the schema as it does without', async () => {
  const prefix = 'Freight_';
  const [plain, prefixed] = [createSchema(), createSchema(prefix)];
  const problemsOf = (schema: GraphQLSchema, document: string) => {
    try {
      return validate(schema, parse(document)).length;
    } catch (error) {
      return error instanceof GraphQLError && 'no document';
    }
  };
  for (const example of exampleGroups.flatMap((group) => group.examples)) {
    const { document } = withTypePrefix(example, prefix);
    const expected = problemsOf(plain, example.document);
    expect([example.title, problemsOf(prefixed, document)]).toEqual([example.title, expected]);
  }
  const gateway = await forTest(startGateway({ env: { EXPLORER: 'true', SCHEMA_PREFIX: prefix } }));
  const page = await fetch(new URL('/explorer/', gateway.url));
  const sandbox = await fetch(gateway.url, { headers: { accept: 'text/html' } });
  expect(await page.text()).toContain(` data-schema-prefix="${prefix}"`);
  expect(await sandbox.text()).toContain(`: ${prefix}NotificationInput!`);
});
