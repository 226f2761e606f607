import { readdirSync, readFileSync } from 'node:fs';
import {
  buildSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
  printSchema,
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import type { FieldEntry } from '../../src/fields/selections.js';
import { settings } from '../support/service/settings.js';
import { createSchema, createSubgraphSchema } from '../../src/graphql/schema.js';
import { contract, type Operation } from '../support/service/contract.js';

const schema = createSchema();

test('clients see the schema as written in its files, including descriptions', () => {
  const folder = new URL('../../schema/', import.meta.url);
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.graphql'))
    .map((file) => readFileSync(new URL(file, folder), 'utf8'));
  expect(printSchema(schema)).toBe(printSchema(buildSchema(files.join('\n'))));
});

// This is why there is no limit on the depth of an operation.
test.each([
  ['clients', schema],
  ['supergraph gateways', createSubgraphSchema()],
])('the types that %s see have no cycle, and their deepest field is on level 5', (_who, target) => {
  const paths = [target.getQueryType(), target.getMutationType()].map(
    (type) => type && deepestPath(target, type),
  );
  expect(paths.map((path) => path?.length)).toEqual([4, 5]);
  expect(paths[0]).toEqual(['notifications', 'notifications', 'recipient', expect.any(String)]);
});

// The compiler of operations would recurse for ever.
test('input types have no cycle', () => {
  const inputTypes = ownTypes(schema).filter(isInputObjectType);
  expect(Math.max(...inputTypes.map((type) => deepestPath(schema, type).length))).toBe(4);
});

test('supergraph gateways additionally see only these types and fields', () => {
  const namesIn = (target: GraphQLSchema) =>
    ownTypes(target).flatMap((type) => [
      type.name,
      ...membersOf(type).map(({ name }) => `${type.name}.${name}`),
    ]);
  const visible = namesIn(schema);
  const inSubgraph = namesIn(createSubgraphSchema());
  expect(inSubgraph.filter((name) => !visible.includes(name))).toEqual([
    ...['Query._service', 'Query._entities', 'Query._sdl'],
    ...['_Any', '_Entity', '_Service', '_Service.sdl'],
  ]);
  expect(inSubgraph).toEqual(expect.arrayContaining(visible));
});

test.each([
  ['clients', schema],
  ['supergraph gateways', createSubgraphSchema()],
])('there are descriptions for everything that %s can see', (_who, visibleSchema) => {
  expect(undescribed(visibleSchema)).toEqual([]);
});

describe('root fields', () => {
  const operations = new Map<string, Operation>(
    Object.entries(contract.paths).flatMap(([path, item]) =>
      (['get', 'post', 'put', 'delete'] as const).flatMap((method) => {
        const operation = item[method];
        return operation ? [[`${method.toUpperCase()} ${path}`, operation] as const] : [];
      }),
    ),
  );
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.values(type?.getFields() ?? {}),
  );
  const documented = fields.map(({ name, description, extensions }) => ({
    name,
    operation: (extensions['entry'] as FieldEntry).operation,
    rest: /\bREST: `([^`]+)`/.exec(description ?? '')?.[1],
    requiresToken: /\bRequires a bearer token\./.test(description ?? ''),
  }));

  test('document the REST operation of their entry, and together cover the whole contract', () => {
    expect(documented.map(({ name, rest }) => [name, rest])).toEqual(
      documented.map(({ name, operation }) => [
        name,
        operation && `${operation.method} ${operation.path(settings)}`,
      ]),
    );
    expect(new Set(documented.flatMap(({ rest = [] }) => rest))).toEqual(new Set(operations.keys()));
  });

  test('require a token, and say so, exactly if their REST operation does', () => {
    const required = documented
      .filter(({ rest }) => operations.get(rest ?? '')?.security?.length)
      .map(({ name }) => name);
    expect(documented.filter(({ requiresToken }) => requiresToken).map(({ name }) => name)).toEqual(required);
    expect(
      documented.filter(({ operation }) => operation?.token === 'required').map(({ name }) => name),
    ).toEqual(required);
  });

  test('are all nullable, so that a failed one does not affect its siblings', () => {
    expect(fields.map(({ type }) => String(type)).filter((type) => type.endsWith('!'))).toEqual([]);
  });

  // The items of a bulk field have the rules of the field for one.
  const withoutItems = fields.filter(({ extensions }) => !(extensions['entry'] as FieldEntry).items);
  test.each(withoutItems)('have rules for all their arguments: $name', ({ args, extensions }) => {
    const invalidArgs = Object.fromEntries(
      args.map((argument) => [argument.name, Symbol('invalid for every argument')]),
    );
    expect(
      new Set((extensions['entry'] as FieldEntry).validate(invalidArgs, settings).map(({ path }) => path[0])),
    ).toEqual(new Set(args.map((argument) => argument.name)));
  });
});

/** Schema coordinates of everything without a description. */
function undescribed(target: GraphQLSchema): string[] {
  const directives = target.getDirectives().filter((directive) => !isSpecifiedDirective(directive));
  const elements = [
    ...directives.flatMap(({ name, description, args }) => [
      { coordinate: `@${name}`, description },
      ...args.map((argument) => ({ coordinate: `@${name}(${argument.name}:)`, ...argument })),
    ]),
    ...ownTypes(target).flatMap((type) => [
      { coordinate: type.name, description: type.description },
      ...membersOf(type).flatMap(({ args = [], ...member }) => [
        { coordinate: `${type.name}.${member.name}`, ...member },
        ...args.map((argument) => ({
          coordinate: `${type.name}.${member.name}(${argument.name}:)`,
          ...argument,
        })),
      ]),
    ]),
  ];
  return elements
    .filter(({ description }) => !description?.trim())
    .map(({ coordinate }) => coordinate)
    .sort();
}

interface Member {
  name: string;
  description?: string | null | undefined;
  args?: readonly GraphQLArgument[];
}

/** Fields, input fields or enum values. */
function membersOf(type: GraphQLNamedType): Member[] {
  if (isEnumType(type)) return type.getValues().map(({ name, description }) => ({ name, description }));
  if ('getFields' in type) return Object.values(type.getFields()) as Member[];
  return [];
}

/** The names of the fields on the way to the deepest field below a type. Throws for a type within itself. */
function deepestPath(
  target: GraphQLSchema,
  type: GraphQLNamedType,
  above: readonly GraphQLNamedType[] = [],
): string[] {
  if (above.includes(type)) throw new Error(`Expected no cycle, got ${[...above, type].join(' > ')}`);
  const hasFields = isObjectType(type) || isInputObjectType(type);
  const types = isAbstractType(type) ? target.getPossibleTypes(type) : hasFields ? [type] : [];
  const paths = types
    .flatMap((each) => Object.values<{ name: string; type: GraphQLType }>(each.getFields()))
    .map(({ name, type: of }) => [name, ...deepestPath(target, getNamedType(of), [...above, type])]);
  return paths.reduce<string[]>((deepest, path) => (path.length > deepest.length ? path : deepest), []);
}

/** Types that the schema itself defines, sorted by name. */
function ownTypes(target: GraphQLSchema): GraphQLNamedType[] {
  return Object.values(target.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}
