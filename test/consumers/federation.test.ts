/** What composers make of our schema and that of another team. routers.test.ts runs what they make. */
import { composeServices } from '@theguild/federation-composition';
import { federateSubgraphs, ROUTER_COMPATIBILITY_VERSION_ONE } from '@wundergraph/composition';
import {
  buildASTSchema,
  isInputObjectType,
  lexicographicSortSchema,
  parse,
  printType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import { beforeAll, expect, test } from 'vitest';
import { createSchema } from '../../src/graphql/schema.js';
import { useGateway, type TestGateway } from '../support/gateway/gateway.js';
import { loadsFederationSdl } from './support/loadsSubgraph.js';
import { oneOfInputs } from './support/supergraphCases.js';

const SUBGRAPH_TOKEN = 'the-token.of~a_gateway+/==';
let sdl: string;
const gateway = useGateway({ env: { SUBGRAPH_TOKEN } });
const OTHER_URL = 'http://loads.test/graphql';
beforeAll(async () => {
  sdl = await sdlOf(gateway);
});

async function sdlOf(subgraph: TestGateway): Promise<string> {
  const headers = { 'x-subgraph-token': SUBGRAPH_TOKEN };
  const data = (await subgraph.data('{ _service { sdl } }', { headers })) as { _service: { sdl: string } };
  return data._service.sdl;
}

interface Composed {
  /** The schema for clients. */
  schema: GraphQLSchema;
  warnings: string[];
}

function composeByGuild(ours: string, theirs: string): Composed {
  const { errors, publicSdl } = composeServices([
    { name: 'freight', url: gateway.url, typeDefs: parse(ours) },
    { name: 'theirs', url: OTHER_URL, typeDefs: parse(theirs) },
  ]);
  expect(errors).toBe(undefined);
  return { schema: buildASTSchema(parse(publicSdl ?? '')), warnings: [] };
}

function composeByWunderGraph(ours: string, theirs: string): Composed {
  const result = federateSubgraphs({
    version: ROUTER_COMPATIBILITY_VERSION_ONE,
    subgraphs: [
      { name: 'freight', url: gateway.url, definitions: parse(ours) },
      { name: 'theirs', url: OTHER_URL, definitions: parse(theirs) },
    ],
  });
  if (!result.success) throw new Error(result.errors.map(({ message }) => message).join('\n'));
  return {
    schema: result.federatedGraphClientSchema,
    warnings: result.warnings.map(({ message }) => message),
  };
}

test.each([
  ['@theguild/federation-composition', composeByGuild],
  ['@wundergraph/composition', composeByWunderGraph],
] as const)('%s keeps the @oneOf inputs and the contract of failures that are data', (_library, compose) => {
  const { schema, warnings } = compose(sdl, loadsFederationSdl);
  expect([warnings, oneOfInputsOf(schema), String(schema.getType('Load'))]).toEqual([
    [],
    oneOfInputs,
    'Load',
  ]);
  const ours = createSchema();
  for (const name of [
    'WritePayload',
    'WriteError',
    'WriteOutcome',
    'OutcomeEvidence',
    'WriteErrorCode',
    'InputRule',
    'TrackShipmentPayload',
    'WriteRecord',
  ])
    expect(printType(lexicographicSortSchema(schema).getType(name) as GraphQLNamedType)).toBe(
      printType(lexicographicSortSchema(ours).getType(name) as GraphQLNamedType),
    );
  expect(
    [schema, schema.getQueryType(), schema.getMutationType()].map((shared) => shared?.description),
  ).toEqual(Array(3).fill(undefined));
  const mutationsOf = (each: GraphQLSchema) => {
    const printed = printType(lexicographicSortSchema(each).getMutationType() as GraphQLNamedType);
    return printed.slice(printed.indexOf('type Mutation'));
  };
  expect(mutationsOf(schema)).toBe(mutationsOf(ours));
});

function oneOfInputsOf(schema: GraphQLSchema): string[] {
  const types = Object.values(schema.getTypeMap());
  return types.flatMap((type) => (isInputObjectType(type) && type.isOneOf ? [type.name] : [])).sort();
}
