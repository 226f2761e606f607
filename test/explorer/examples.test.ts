import { Kind, parse, type OperationDefinitionNode } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXAMPLE_TOKEN, examples } from '../../src/explorer/examples.js';
import { createSchema } from '../../src/graphql/schema.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { IDEMPOTENCY_STORE: 'memory' } });
});
afterAll(() => gateway.stop());

const operations = examples.map(({ document, variables }) => {
  const [operation] = parse(document).definitions as OperationDefinitionNode[];
  if (operation?.name === undefined) throw new Error(`Expected a named operation, got ${document}`);
  return { name: operation.name.value, operation, document, variables };
});

test('the examples cover every query and mutation once, and a tracking request again, with a key', () => {
  const schema = createSchema();
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}),
  );
  const selectedFields = operations.flatMap(({ operation }) =>
    operation.selectionSet.selections.map((selection) =>
      selection.kind === Kind.FIELD ? selection.name.value : selection.kind,
    ),
  );
  expect(selectedFields.sort()).toEqual([...fields, 'trackShipment'].sort());
});

describe('against the mock service’s initial data', () => {
  test.each(operations)('$name succeeds', async ({ document, variables }) => {
    const { data, errors } = await gateway.execute(document, { variables, token: EXAMPLE_TOKEN });
    expect(errors).toBeUndefined();
    expect(Object.values(data as object)).toEqual([expect.anything()]);
  });
});
