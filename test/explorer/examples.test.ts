import { Kind, parse, type OperationDefinitionNode } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXAMPLE_TOKEN, examples } from '../../src/explorer/examples.js';
import { createSchema } from '../../src/graphql/schema.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const operations = examples.map(({ document, variables }) => {
  const [operation] = parse(document).definitions as OperationDefinitionNode[];
  if (operation?.name === undefined) throw new Error(`Expected a named operation, got ${document}`);
  return { name: operation.name.value, operation, document, variables };
});

test('there is one for each query and mutation', () => {
  const schema = createSchema();
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}),
  );
  const shown = operations.flatMap(({ operation }) =>
    operation.selectionSet.selections.map((each) => (each.kind === Kind.FIELD ? each.name.value : each.kind)),
  );
  expect(shown.sort()).toEqual(fields.sort());
});

describe('each succeeds on the first data of the reference service', () => {
  test.each(operations)('$name', async ({ document, variables }) => {
    const { data, errors } = await gateway.execute(document, { variables, token: EXAMPLE_TOKEN });
    expect(errors).toBeUndefined();
    expect(Object.values(data as object)).toEqual([expect.anything()]);
  });
});
