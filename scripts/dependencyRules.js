/**
 * The layers of src/ (docs/architecture.md): a layer imports from layers further down and never from one further up, type-only
 * imports included.
 */
const layers = [
  ['main', '^src/(main|program|index)\\.ts$'],
  ['probe', '^src/probe/'],
  ['gateway', '^src/gateway\\.ts$'],
  ['config', '^src/config/'],
  ['http', '^src/http/'],
  ['graphql', '^src/graphql/'],
  ['fields', '^src/(fields|generated/(?!enums))'],
  ['telemetry', '^src/telemetry/(?!(events|requestSummary)\\.ts)'],
  ['freight', '^src/freight/'],
  ['transport', '^src/transport/'],
  ['events', '^src/telemetry/(events|requestSummary)\\.ts$'],
  ['domain', '^src/domain/'],
  ['redis', '^src/redis/'],
  ['failures', '^src/(gatewayError|failures|errors|generated/enums)\\.ts$'],
];

/** Imports that go against the order for a reason. */
const exceptions = {
  // The manifest is parsed with the configuration, so that a broken file is one of its problems.
  config: '^src/graphql/persistedOperations\\.ts$',
};

const arrows = layers.slice(1).map(([name, path], index) => ({
  name: `${name.replaceAll(/[^a-z]+/g, '-')}-imports-downwards`,
  comment: `${name} must not import from the layers above: ${layers
    .slice(0, index + 1)
    .map(([above]) => above)
    .join(', ')}`,
  severity: 'error',
  from: { path },
  to: { path: layers.slice(0, index + 1).map(([, above]) => above) },
}));

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

export default {
  forbidden: [
    rule(
      'no-circles',
      'Modules must not import each other in a circle, types included.',
      {},
      { circular: true },
    ),
    ...arrows,
    rule(
      'config-knows-no-behavior',
      'The configuration knows only what it validates.',
      { path: '^src/config/' },
      { path: '^src/(http|graphql|fields|telemetry)/', pathNot: exceptions.config },
    ),
    rule(
      'types-are-tables',
      'Resolvers of object types know the REST contract and its vocabulary, and make no calls.',
      { path: '^src/fields/types\\.ts$' },
      { path: '^src/(freight/(?!(?:contract|vocabulary)\\.ts)|transport/|telemetry/|fields/)' },
    ),
    rule(
      'entries-are-tables',
      'The entries of root fields name REST operations and writes, and do not send them.',
      { path: '^src/fields/(?!context)' },
      { path: '^src/(transport|telemetry)/' },
    ),
    rule(
      'mock-stands-alone',
      'The mock of the REST service shares no code with the gateway.',
      { path: '^src/mock/' },
      { path: '^src/(?!mock/)' },
    ),
    rule(
      'mock-is-optional',
      'Only the program starts the mock of the REST service.',
      { path: '^src/(?!mock/|program\\.ts)' },
      { path: '^src/mock/' },
    ),
    rule(
      'rest-side-knows-no-graphql',
      'The REST side and the domain are unaware of GraphQL.',
      { path: '^src/(freight|transport|domain|mock)/' },
      { path: 'node_modules/(graphql|@apollo|@graphql-tools)' },
    ),
    rule(
      'graphql-side-knows-no-http-server',
      'Fields and graphql/ know neither Fastify nor undici.',
      { path: '^src/(fields|graphql|domain)/' },
      { path: 'node_modules/(fastify|@fastify|undici)' },
    ),
    rule(
      'one-rest-client',
      'Only the transport sends REST calls.',
      { path: '^src/(?!transport/)' },
      { path: 'node_modules/undici' },
    ),
    rule(
      'clients-stand-alone',
      'The package for front ends shares only the error codes with the gateway.',
      { path: '^src/client/' },
      { path: '^src/(?!client/|errors\\.ts)' },
    ),
    rule(
      'gateway-knows-no-clients',
      'Nothing of the gateway imports the package for front ends.',
      { path: '^src/(?!client/)' },
      { path: '^src/client/' },
    ),
    rule('no-unresolvable', 'Every import must resolve.', { path: '^src/' }, { couldNotResolve: true }),
    rule(
      'no-development-dependencies',
      'What runs in production must not import development dependencies.',
      { path: '^src/', pathNot: '^src/(client|explorer)/' },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'no-orphans',
      'Every module is imported by another one or is an entry point.',
      { orphan: true, path: '^src/', pathNot: '^src/(main|index|errors|client/|explorer/)' },
      {},
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
