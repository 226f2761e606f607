/**
 * The example configurations of routers. test/consumers/federation.test.ts runs Hive Gateway with its own. Those of Apollo Router
 * and Cosmo Router are checked by their shape alone: neither router runs here.
 */
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { variables } from '../../src/config/variables.js';
import { readText } from '../support/deploy/deployment.js';
import { startGateway } from '../support/gateway/gateway.js';

const SUBGRAPH_TOKEN = 'the-token.of~a_gateway+/==';
const readYaml = (file: string): unknown => parse(readText(`deploy/supergraph/${file}`));

/** What a router sends: the client's headers and the router's. */
interface HeaderRules {
  propagated: string[];
  inserted: Record<string, string>;
}

type ApolloRule = { propagate: { named: string } } | { insert: { name: string; value: string } };
type CosmoRule = { op: 'propagate'; named: string } | { op: 'set'; name: string; value: string };

interface RouterConfig<Rule> {
  headers: { subgraphs: Record<string, { request: Rule[] }> };
}

const apollo = readYaml('apollo/router.yaml') as RouterConfig<ApolloRule>;
const cosmo = readYaml('cosmo/config.yaml') as RouterConfig<CosmoRule> & {
  subgraph_error_propagation: { mode: string; allowed_extension_fields: string[] };
};
const apolloRules = (apollo.headers.subgraphs['freight']?.request ?? []).map((rule) =>
  'propagate' in rule ? rule.propagate : rule.insert,
);
const cosmoRules = cosmo.headers.subgraphs['freight']?.request ?? [];

function headerRules(rules: readonly ({ named: string } | { name: string; value: string })[]): HeaderRules {
  return {
    propagated: rules.flatMap((rule) => ('named' in rule ? [rule.named.toLowerCase()] : [])).sort(),
    inserted: Object.fromEntries(
      rules.flatMap((rule) => ('named' in rule ? [] : [[rule.name.toLowerCase(), rule.value]])),
    ),
  };
}

test.each([
  ['Apollo Router', headerRules(apolloRules), '${env.SUBGRAPH_TOKEN}'],
  ['Cosmo Router', headerRules(cosmoRules), '${SUBGRAPH_TOKEN}'],
])('%s sends the headers that the gateway reads', async (_router, { propagated, inserted }, variable) => {
  expect(propagated).toEqual([
    ...['authorization', 'idempotency-key', 'traceparent', 'tracestate', 'x-gateway-dry-run', 'x-request-id'],
  ]);
  expect(inserted).toEqual({ 'x-subgraph-token': variable });
  expect(variables).toHaveProperty('SUBGRAPH_TOKEN');

  const gateway = await startGateway({ env: { SUBGRAPH_TOKEN } });
  const sent = Object.fromEntries(Object.keys(inserted).map((name) => [name, SUBGRAPH_TOKEN]));
  const headers = { ...sent, 'x-request-id': 'request-of-a-router' };
  const response = await gateway.execute('{ _service { __typename } notifications { totalPossibleCount } }', {
    headers,
  });
  await gateway.stop();
  expect([response.errors, response.headers.get('x-request-id')]).toEqual([undefined, 'request-of-a-router']);
});
