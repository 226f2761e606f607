/** Generates random operations that are valid by construction. */
import {
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
} from 'graphql';
import type { SeededRandom } from '../tools/seededRandom.js';

export interface RandomOperationOptions {
  schema: GraphQLSchema;
  random: SeededRandom;
  /** The root field. */
  field: string;
  type: 'mutation' | 'query';
  /** Whether selections have conditions, with the variables `$yes` and `$no`. @default false */
  hasConditions?: boolean;
}

/**
 * An operation on one root field that passes every argument as a variable of the same name. Fields may be selected
 * several times, under aliases and in nested fragments; a response name always stands for the same field.
 */
export function randomOperation({
  schema,
  random,
  field,
  type,
  hasConditions = false,
}: RandomOperationOptions): string {
  const fragments: { name: string; on: string; text: string }[] = [];
  const aliasOf = (name: string) => (random.happens(0.3) ? `${name}${random.pick(['A', 'B'])}: ` : '');

  const selectionSet = (of: GraphQLCompositeType, depth: number): string =>
    `{ ${Array.from({ length: 1 + random.below(5) }, () => selection(of, depth)).join(' ')} }`;

  const condition = () =>
    hasConditions && random.happens(0.2)
      ? ` @${random.pick(['skip', 'include'])}(if: $${random.pick(['yes', 'no'])})`
      : '';

  const selection = (of: GraphQLCompositeType, depth: number): string => {
    const kind = depth > 6 ? 1 : random.below(10);
    if (kind === 0) return `${aliasOf('__typename')}__typename${condition()}`;
    if (kind === 7) return `...${condition()} ${selectionSet(of, depth + 1)}`;
    if (kind === 8) return inlineFragment(of, depth);
    if (kind === 9) return fragmentSpread(of, depth);
    const fields = 'getFields' in of ? Object.values(of.getFields()) : [];
    return fieldOf(random.pick(fields as [GraphQLField<unknown, unknown>]), depth);
  };

  const fieldOf = ({ name, type: of }: GraphQLField<unknown, unknown>, depth: number): string => {
    const named = getNamedType(of);
    const selected = isCompositeType(named) ? ` ${selectionSet(named, depth + 1)}` : '';
    return aliasOf(name) + name + condition() + selected;
  };

  const inlineFragment = (of: GraphQLCompositeType, depth: number): string => {
    const on = conditionFor(of);
    return `... on ${on.name}${condition()} ${selectionSet(on, depth + 1)}`;
  };

  const fragmentSpread = (of: GraphQLCompositeType, depth: number): string => {
    const on = conditionFor(of);
    const [existing] = random.shuffle(fragments.filter((each) => each.on === on.name));
    if (existing && random.happens(0.5)) return `...${existing.name}${condition()}`;
    const text = selectionSet(on, depth + 1);
    const name = `F${fragments.length}`; // nested fragments are already there, so none can be recursive
    fragments.push({ name, on: on.name, text: `fragment ${name} on ${on.name} ${text}` });
    return `...${name}${condition()}`;
  };

  /** The type itself, one of its possible types, or one of its interfaces. */
  const conditionFor = (of: GraphQLCompositeType): GraphQLCompositeType =>
    random.pick([
      of,
      ...(isAbstractType(of) ? schema.getPossibleTypes(of) : []),
      ...(isObjectType(of) ? of.getInterfaces() : []),
    ]);

  const root = type === 'query' ? schema.getQueryType() : schema.getMutationType();
  const definition = root?.getFields()[field];
  if (!definition) throw new Error(`Expected a root field, got ${field}`);
  const declared = definition.args.map(({ name, type: of }) => `$${name}: ${of.toString()}`);
  const passed = definition.args.map(({ name }) => `${name}: $${name}`).join(', ');
  const selected = selectionSet(getNamedType(definition.type) as GraphQLCompositeType, 1);
  const operation = `{ ${aliasOf(field)}${field}(${passed}) ${selected} }`;
  const texts = [operation, ...fragments.map(({ text }) => text)].join('\n');
  const conditions = ['yes', 'no']
    .filter((name) => texts.includes(`(if: $${name})`))
    .map((name) => `$${name}: Boolean!`);
  return `${type} (${[...declared, ...conditions].join(', ')}) ${texts}`;
}
