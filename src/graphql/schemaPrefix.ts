/** A prefix for the names of the schema's types, which keeps them apart from those of other teams in a supergraph. */
import {
  isTypeDefinitionNode,
  isTypeExtensionNode,
  Kind,
  visit,
  type ASTNode,
  type DocumentNode,
  type NamedTypeNode,
  type StringValueNode,
  type TypeDefinitionNode,
  type TypeExtensionNode,
} from 'graphql';

/** Other subgraphs and gateways find these by their names. Those of Federation start with an underscore. */
const ROOT_TYPES: ReadonlySet<string> = new Set(['Query', 'Mutation']);

/**
 * Renames the types that a document defines, wherever it mentions them: in definitions, references, and code within
 * descriptions. A document rather than a schema, because the SDL for composition is printed from it, with its directives.
 */
export function prefixTypes(document: DocumentNode, prefix: string): DocumentNode {
  if (prefix === '') return document;
  const names = new Set(
    document.definitions
      .filter(isTypeDefinitionNode)
      .map(({ name }) => name.value)
      .filter((name) => !ROOT_TYPES.has(name) && !name.startsWith('_')),
  );
  const rename = (name: string) => (names.has(name) ? `${prefix}${name}` : name);
  const renameDescription = ({ value }: StringValueNode) =>
    value.replaceAll(/`[^`]*`/g, (code) => code.replaceAll(/\b\w+\b/g, rename));

  return visit(document, {
    enter(node, key) {
      if (isNamed(node)) return { ...node, name: { ...node.name, value: rename(node.name.value) } };
      if (key === 'description' && node.kind === Kind.STRING)
        return { ...node, value: renameDescription(node) };
      return undefined;
    },
  });
}

/** The resolvers of renamed types, by their new names; type resolvers return these, too. */
export function prefixResolvers(
  resolvers: Readonly<Record<string, object>>,
  prefix: string,
): Record<string, object> {
  const entries = Object.entries(resolvers).map(([name, type]) => {
    const { __resolveType: resolveType, ...fields }: AbstractTypeResolvers = type;
    return [
      ROOT_TYPES.has(name) ? name : `${prefix}${name}`,
      resolveType && prefix !== ''
        ? { ...fields, __resolveType: (value: unknown) => `${prefix}${resolveType(value)}` }
        : type,
    ] as const;
  });
  return Object.fromEntries(entries);
}

interface AbstractTypeResolvers {
  __resolveType?: (value: unknown) => string;
}

function isNamed(node: ASTNode): node is NamedTypeNode | TypeDefinitionNode | TypeExtensionNode {
  return node.kind === Kind.NAMED_TYPE || isTypeDefinitionNode(node) || isTypeExtensionNode(node);
}
